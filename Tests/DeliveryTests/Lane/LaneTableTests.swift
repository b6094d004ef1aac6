import LiveActivity
import Testing

@testable import Delivery

/// One table with a log of what it said.
struct LaneBench {
    var table: LaneTable
    var effects: [LaneEffect] = []
    var now = moment(0)

    init(_ settings: LaneSettings = LaneSettings()) {
        table = LaneTable(settings: settings, seed: 7)
    }

    mutating func offer(_ item: PushItem, to destination: Destination = channel()) {
        table.offer(item, to: destination, now: now, into: &effects)
    }

    /// Dispatches one request of the broadcast outlet and returns it.
    mutating func send(_ outlet: Outlet = Outlet(app: 0, broadcast: true)) -> (id: SendID, item: PushItem)? {
        table.dispatch(outlet, atMost: 1, now: now, into: &effects)
        guard case .send(let id, _, let item)? = effects.last else { return nil }
        effects.removeLast()
        return (id, item)
    }

    /// The same where a request must go out.
    mutating func sent(_ outlet: Outlet = Outlet(app: 0, broadcast: true)) throws -> (id: SendID, item: PushItem) {
        let request = send(outlet)
        return try #require(request)
    }

    mutating func answer(_ id: SendID, _ status: UInt16 = 200, _ reason: String? = nil) {
        table.answered(id, verdict(status, reason), now: now, into: &effects)
    }

    mutating func fail(_ id: SendID, _ failure: SendFailure) {
        table.failed(id, failure, now: now, into: &effects)
    }

    mutating func wait(_ milliseconds: Int64) {
        now = now.advanced(byMilliseconds: milliseconds)
        table.tick(now: now, into: &effects)
    }

    /// What was reported since the last call, as `sequence: outcome`.
    mutating func reports() -> [String] {
        defer { effects.removeAll() }
        return effects.compactMap {
            guard case .report(let report) = $0 else { return nil }
            return "\(report.sequence): \(report.outcome)" + (report.mayHaveArrived ? " may have arrived" : "")
        }
    }
}

@Suite struct LaneTableTests {
    @Test func oneRequestAtATimeAndTheNewestNext() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let first = try bench.sent()
        for sequence in 2...5 { bench.offer(item(UInt64(sequence))) }
        #expect(bench.send() == nil)
        bench.answer(first.id)
        #expect(
            bench.reports() == ["2: superseded", "3: superseded", "4: superseded", "1: accepted"])
        #expect(bench.send()?.item.sequence == 5)
    }

    @Test func anImportantItemKeepsItsPlace() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let first = try bench.sent()
        bench.offer(item(2, important: true))
        bench.offer(item(3))
        bench.offer(item(4, important: true))
        bench.offer(item(5))
        #expect(bench.reports() == ["3: superseded", "4: superseded"])
        bench.answer(first.id)
        let second = try bench.sent()
        #expect(second.item.sequence == 2)
        bench.answer(second.id)
        #expect(bench.send()?.item.sequence == 5)
    }

    @Test func anExpiredImportantItemGivesItsPlaceAway() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let first = try bench.sent()
        bench.offer(item(2, important: true, expiresAt: moment(500).wallMilliseconds))
        bench.offer(item(3, important: true))
        bench.wait(600)
        bench.offer(item(4))
        #expect(bench.reports() == ["2: expired"])
        bench.answer(first.id)
        #expect(bench.send()?.item.sequence == 3)
    }

    @Test func endPassesEverythingAndIsFinal() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let first = try bench.sent()
        bench.offer(item(2, important: true))
        bench.offer(item(3))
        bench.offer(item(5, .end))
        bench.offer(item(4, important: true))
        bench.offer(item(6))
        #expect(
            bench.reports() == ["2: superseded", "3: superseded", "4: superseded", "6: superseded"])
        bench.answer(first.id, 503, "ServiceUnavailable")
        #expect(bench.reports() == ["1: deferred(reason: \"ServiceUnavailable\")"])
        bench.wait(5_000)
        let end = try bench.sent()
        #expect(end.item.event == .end)
        bench.answer(end.id)
        #expect(bench.reports() == ["1: superseded", "5: accepted"])
        bench.offer(item(7))
        #expect(bench.reports() == ["7: superseded"])
    }

    @Test func staleItemsGoBackInOrder() {
        var bench = LaneBench()
        bench.offer(item(1, important: true))
        bench.wait(5_000)
        bench.offer(item(2, at: bench.now))
        bench.wait(5_000)
        var copy = bench
        #expect(copy.send()?.item.sequence == 1)
        bench.wait(1)
        #expect(bench.send() == nil)
        #expect(bench.reports() == ["1: stale", "2: stale"])
    }

    @Test func unprocessedMayStillRingAndALostAnswerMayNot() throws {
        var bench = LaneBench()
        bench.offer(item(1, important: true))
        let first = try bench.sent()
        bench.fail(first.id, .unprocessed)
        let second = try bench.sent()
        #expect(second.item == first.item && second.id != first.id)
        bench.fail(second.id, .unknown)
        #expect(bench.send() == nil)
        #expect(bench.reports() == ["1: deferred(reason: \"answer lost\") may have arrived"])
        bench.wait(500)
        let third = try bench.sent()
        #expect(third.item.sequence == 1 && third.item.quiet)
        bench.fail(third.id, .unprocessed)
        #expect(bench.send()?.item.quiet == true)
    }

    @Test func aNewerItemEndsTheReplay() throws {
        for waitsBefore in [true, false] {
            var bench = LaneBench()
            bench.offer(item(1, important: true))
            let first = try bench.sent()
            if waitsBefore { bench.offer(item(2)) }
            bench.fail(first.id, .unknown)
            if !waitsBefore { bench.offer(item(2)) }
            let second = try bench.sent()
            #expect(second.item.sequence == 2 && !second.item.quiet)
            #expect(bench.reports().last == "1: unknown may have arrived")
        }
    }

    @Test func replaysAreBounded() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        for _ in 0...3 {
            let sent = try bench.sent()
            bench.fail(sent.id, .unknown)
            bench.wait(1_000)
            if bench.table.readyCount(Outlet(app: 0, broadcast: true)) == 0 { bench.wait(1_000) }
        }
        #expect(bench.reports().last == "1: unknown may have arrived")
        #expect(bench.send() == nil)
        #expect(bench.table.counters.replayed == 3)
    }

    @Test func aReplayThatGrowsStaleSaysThatItMayHaveArrived() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let sent = try bench.sent()
        bench.wait(10_001)
        bench.fail(sent.id, .unknown)
        bench.wait(1_000)
        #expect(bench.send() == nil)
        #expect(bench.reports().last == "1: stale may have arrived")
    }

    /// An earlier version may have rung: what is made from this one must not.
    @Test func aQuietItemThatGrowsStaleStaysQuiet() {
        var bench = LaneBench()
        bench.offer(item(1, quiet: true))
        bench.wait(10_001)
        #expect(bench.send() == nil)
        #expect(bench.reports() == ["1: stale may have arrived"])
    }

    @Test func aStartIsSentOnceAndStartsDoNotConflate() throws {
        var bench = LaneBench()
        let start = Outlet(app: 0, broadcast: false)
        bench.offer(item(1, .start, ticket: 1), to: token(kind: .startToken))
        bench.offer(item(1, .start, ticket: 2), to: token(kind: .startToken))
        let first = try bench.sent(start)
        let second = try bench.sent(start)
        #expect(first.item.ticket != second.item.ticket)
        bench.fail(first.id, .unknown)
        bench.fail(second.id, .unprocessed)
        #expect(bench.reports() == ["1: unknown may have arrived"])
        #expect(bench.send(start)?.item.ticket == second.item.ticket)
    }

    @Test func refusalsMakeTheLaneWait() throws {
        var bench = LaneBench()
        bench.offer(item(1, important: true))
        var sent = try bench.sent()
        bench.table.answered(
            sent.id,
            AnswerClassifier.classify(
                .broadcast,
                Answer(status: 429, reason: Reason("TooManyRequests"), retryAfterMilliseconds: 3_000)),
            now: bench.now, into: &bench.effects)
        bench.offer(item(2))
        #expect(bench.table.nextDeadline == 3_000)
        bench.wait(2_999)
        #expect(bench.send() == nil)
        bench.wait(1)
        sent = try bench.sent()
        #expect(sent.item.sequence == 1 && !sent.item.quiet)
        bench.answer(sent.id, 503, "ServiceUnavailable")
        // The second refusal in a row waits between 2 and 4 s.
        #expect((5_000...7_000).contains(bench.table.nextDeadline ?? 0))
    }

    @Test func finalRefusals() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        try bench.answer(bench.sent().id, 413, "PayloadTooLarge")
        bench.offer(item(2))
        let sent = try bench.sent()
        bench.offer(item(3, important: true))
        bench.offer(item(4))
        bench.answer(sent.id, 400, "ChannelNotRegistered")
        let gone = "gone(status: 400, reason: \"ChannelNotRegistered\", sinceMilliseconds: nil)"
        #expect(
            bench.reports() == [
                "1: failed(status: 413, reason: \"PayloadTooLarge\")", "2: \(gone)", "3: \(gone)", "4: \(gone)",
            ])
        #expect(bench.send() == nil)
    }

    @Test func everyReactionLeadsSomewhere() throws {
        for (status, reason, outcome) in [
            (403, "Forbidden", "failed(status: 403, reason: \"Forbidden\")"),
            (403, "TopicMismatch", "deferred(reason: \"TopicMismatch\")"),
            (403, "InvalidProviderToken", "deferred(reason: \"InvalidProviderToken\")"),
            (400, "CannotCreateChannelConfig", "failed(status: 400, reason: \"CannotCreateChannelConfig\")"),
            (410, "SomethingNew", "gone(status: 410, reason: \"SomethingNew\", sinceMilliseconds: nil)"),
        ] as [(UInt16, String, String)] {
            var bench = LaneBench()
            bench.offer(item(1))
            try bench.answer(bench.sent().id, status, reason)
            #expect(bench.reports() == ["1: \(outcome)"])
        }
        for reason in ["ExpiredProviderToken", "IdleTimeout"] {
            var bench = LaneBench()
            bench.offer(item(1))
            bench.table.answered(
                try bench.sent().id, verdict(403, reason, .device), now: bench.now, into: &bench.effects)
            let again = try bench.sent()
            #expect(!again.item.quiet)
        }
    }

    @Test func unprocessedBacksOffInTheEnd() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        for _ in 0..<4 {
            let sent = try bench.sent()
            bench.fail(sent.id, .unprocessed)
        }
        #expect(bench.send() == nil)
        #expect(bench.reports() == ["1: deferred(reason: \"unprocessed\")"])
        bench.wait(100)
        #expect(bench.send() != nil)
        #expect(bench.table.counters.retried == 4)
    }

    @Test func answersThatNobodyAwaits() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let sent = try bench.sent()
        bench.answer(SendID(rawValue: 0))
        bench.answer(SendID(rawValue: .max))
        bench.answer(SendID(rawValue: sent.id.rawValue + 1))
        bench.answer(sent.id)
        bench.answer(sent.id)
        bench.fail(sent.id, .unknown)
        #expect(bench.table.counters.ignored == 5)
        #expect(bench.reports() == ["1: accepted"])
    }

    @Test func aLateAnswerDoesNotEndTheNextRequest() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let first = try bench.sent()
        bench.fail(first.id, .unprocessed)
        let second = try bench.sent()
        bench.answer(first.id)
        bench.fail(first.id, .unknown)
        #expect(bench.table.counters.ignored == 2 && bench.reports().isEmpty)
        bench.answer(second.id)
        #expect(bench.reports() == ["1: accepted"])
    }

    @Test func aLateImportantItemGoesBeforeTheNewestOrNotAtAll() throws {
        var bench = LaneBench()
        bench.offer(item(5))
        let first = try bench.sent()
        bench.offer(item(9))
        bench.offer(item(3, important: true))
        bench.offer(item(7))
        #expect(bench.reports() == ["3: superseded", "7: superseded"])
        bench.offer(item(8, important: true))
        bench.offer(item(6, important: true))
        #expect(bench.reports() == ["6: superseded"])
        bench.answer(first.id)
        let second = try bench.sent()
        bench.answer(second.id)
        #expect(try second.item.sequence == 8 && bench.sent().item.sequence == 9)
    }

    @Test func anEndWhoseAnswerWasLostIsSentAgainAlthoughTheNameWasStartedAgain() throws {
        var bench = LaneBench()
        bench.offer(item(4, .end, ticket: 1))
        let first = try bench.sent()
        bench.offer(item(1, ticket: 2))
        bench.fail(first.id, .unknown)
        let second = try bench.sent()
        #expect(second.item.ticket == 1 && second.item.quiet)
        bench.answer(second.id)
        let third = try bench.sent()
        #expect(third.item.ticket == 2 && !third.item.quiet)
    }

    @Test func theLateEndOfAnotherKeyDoesNotReplaceAReplay() throws {
        var bench = LaneBench()
        bench.offer(item(4, ticket: 2))
        let first = try bench.sent()
        bench.offer(item(9, .end, ticket: 1))
        bench.fail(first.id, .unknown)
        bench.wait(1_000)
        let second = try bench.sent()
        #expect(second.item.ticket == 2)
        bench.answer(second.id)
        let third = try bench.sent()
        #expect(third.item.ticket == 1 && third.item.event == .end)
    }

    @Test func oneVersionOfferedTwiceIsOne() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        bench.offer(item(1))
        let sent = try bench.sent()
        bench.offer(item(1))
        bench.answer(sent.id)
        #expect(bench.reports() == ["1: accepted"])
        // A re-assertion of what was accepted goes out, but does not ring.
        bench.offer(item(1))
        #expect(bench.send()?.item.quiet == true)
        #expect(bench.table.counters.repeated == 2)
    }

    @Test func expiredItemsAreNotTaken() {
        var bench = LaneBench()
        bench.offer(item(1, expiresAt: bench.now.wallMilliseconds))
        #expect(bench.send() == nil)
        bench.offer(item(2, expiresAt: bench.now.wallMilliseconds + 10))
        bench.wait(10)
        #expect(bench.send() == nil)
        #expect(bench.reports() == ["1: expired", "2: expired"])
    }

    @Test func aNameStartedAgainOnItsChannel() throws {
        var bench = LaneBench()
        bench.offer(item(9, .end, ticket: 1))
        bench.offer(item(1, ticket: 2))
        bench.offer(item(2, ticket: 2))
        let end = try bench.sent()
        #expect(end.item.event == .end && end.item.ticket == 1)
        bench.answer(end.id)
        let next = try bench.sent()
        #expect(next.item.ticket == 2 && next.item.sequence == 2)
        // The old end comes back with a fresh stamp: it does not end the new instance.
        bench.offer(item(10, .end, ticket: 1))
        bench.offer(item(3, ticket: 2))
        bench.answer(next.id)
        let again = try bench.sent()
        #expect(again.item.ticket == 1 && again.item.event == .end)
        bench.answer(again.id)
        #expect(bench.send()?.item.sequence == 3)
    }

    @Test func idleLanesAreForgotten() throws {
        var bench = LaneBench()
        for number in 1...3 {
            bench.offer(item(1, at: bench.now), to: channel(number))
            try bench.answer(bench.sent().id)
            bench.wait(1_000)
        }
        #expect(bench.table.count == 3 && bench.table.nextDeadline == 10_000)
        bench.wait(7_000)
        #expect(bench.table.count == 2)
        bench.wait(20_000)
        #expect(bench.table.count == 0 && bench.table.nextDeadline == nil)
    }

    @Test func theTableIsBounded() throws {
        var bench = LaneBench(LaneSettings(lanesMax: 2))
        bench.offer(item(1), to: channel(1))
        bench.offer(item(1), to: channel(2))
        bench.offer(item(1), to: channel(3))
        #expect(bench.reports() == ["1: overloaded"])
        try bench.answer(bench.sent().id)
        bench.offer(item(1), to: channel(3))
        #expect(bench.table.count == 2 && bench.table.counters.evicted == 1)
        #expect(bench.reports() == ["1: accepted"])
    }

    @Test func timeMayGoBackwards() throws {
        var bench = LaneBench()
        bench.wait(100_000)
        bench.offer(item(1, at: bench.now))
        try bench.answer(bench.sent().id)
        bench.now = moment(0)
        bench.offer(item(2, at: bench.now), to: channel(2))
        try bench.answer(bench.sent().id, 429, "TooManyRequests")
        bench.wait(5_000)
        #expect(bench.send()?.item.sequence == 2)
    }

    @Test func extremeStampsDoNotTrap() {
        for stamp in [Int64.min, -1, 0, .max] {
            var bench = LaneBench()
            var odd = item(1)
            odd.stampSeconds = stamp
            bench.offer(odd)
            #expect((bench.send() == nil) == (stamp <= 0))
        }
    }
}
