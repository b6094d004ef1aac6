import Cluster
import Codes
import Delivery
import Testing
import Wire

/// Shards come and go, and each is committed by itself.
@Suite struct ShardTests {
    private let one = CoreDriver.activity("one")
    private let two = CoreDriver.activity("two")

    /// An owner of the shards of both activities, each followed by a token.
    private func owner(settings: CoreSettings = CoreSettings(apps: ["shop"])) -> OwnerDriver {
        var driver = OwnerDriver(settings: settings)
        driver.adopt([driver.shard(one), driver.shard(two)])
        driver.register("t1", one)
        driver.register("t2", two)
        driver.commitAll()
        return driver
    }

    // MARK: Coming and going

    @Test func onlyOwnedShardsAreServed() {
        var driver = OwnerDriver()
        #expect(driver.publish(CoreDriver.event("a", one)).refusals == ["shard-moves"])
        #expect(driver.register("t", one).refusals == ["shard-moves"])
        #expect(driver.send(.get(origin: 1, key: one, instance: nil)).refusals == ["shard-moves"])
        #expect(driver.send(.status(origin: 1, eventID: [1], key: one)).refusals == ["shard-moves"])
        #expect(driver.send(.showActivity(origin: 1, key: one)).refusals == ["shard-moves"])
        #expect(driver.uncommitted.isEmpty)
        driver.adopt([driver.shard(one)])
        #expect(driver.send(.get(origin: 1, key: one, instance: nil)).refusals == ["unknown-key"])
        #expect(driver.publish(CoreDriver.event("a", one)).refusals.isEmpty)
        #expect(driver.publish(CoreDriver.event("a", two)).refusals == ["shard-moves"])
    }

    @Test func whatIsLetGoIsForgottenAndComesBackWithItsRows() {
        var driver = owner()
        driver.publish(CoreDriver.event("a", one))
        let offers = driver.commitAll().offers
        let out = driver.relinquish([driver.shard(one)])
        #expect(out.withdrawn == [offers[0].item.ticket])
        #expect(driver.core.keyCount == 1 && driver.core.tokenCount == 1)
        #expect(driver.publish(CoreDriver.event("b", one)).refusals == ["shard-moves"])
        // Reports on what is in flight find nothing.
        #expect(driver.report(offers[0], .accepted).isEmpty)
        #expect(driver.core.counters.reportsUnmatched == 1)
        let again = driver.adopt([driver.shard(one)], epoch: 2) + driver.commitAll()
        #expect(driver.core.keyCount == 2 && driver.core.tokenCount == 2)
        #expect(driver.summary.unsettled == 1)
        #expect(again.offered == ["a"] && again.offers[0].item.ticket != offers[0].item.ticket)
        #expect(driver.report(offers[0], .accepted).isEmpty)
        #expect(driver.publish(CoreDriver.event("a", one)).acknowledgements.map(\.isRepeated) == [true])
    }

    @Test func letGoAndAdoptedInAnyOrderTwice() {
        var driver = owner()
        let shard = driver.shard(one)
        #expect(driver.relinquish([7, 7, 4_096, 60_000]).isEmpty)
        driver.relinquish([shard, shard])
        #expect(driver.relinquish([shard]).isEmpty)
        driver.adopt([shard, shard], epoch: 3)
        #expect(driver.core.tokenCount == 2)
        // What is served already is let go first.
        driver.publish(CoreDriver.event("a", one))
        let out = driver.adopt([shard], epoch: 4)
        #expect(out.refusals == ["shard-moves"])
        #expect(driver.core.keyCount == 2)
    }

    @Test func versionsHaveTheEpochAndCountOn() {
        var driver = owner()
        driver.publish(CoreDriver.event("a", one))
        let first = driver.commitAll().acknowledgements[0].version
        driver.relinquish([driver.shard(one)])
        driver.adopt([driver.shard(one)], epoch: 5, copies: 2)
        driver.publish(CoreDriver.event("b", one))
        driver.core.setCopies(driver.shard(one), 1)
        driver.publish(CoreDriver.event("c", one))
        let acks = driver.commitAll().acknowledgements
        #expect(first == Version(epoch: 1, sequence: 1))
        #expect(acks.map(\.version) == [Version(epoch: 5, sequence: 2), Version(epoch: 5, sequence: 3)])
        #expect(acks.map(\.copies) == [2, 1])
    }

    @Test func freshStampsHaveTheEpoch() {
        var driver = owner()
        driver.publish(CoreDriver.event("a", one))
        driver.commitAll()
        driver.relinquish([driver.shard(one)])
        driver.now = driver.now.advanced(byMilliseconds: 20_000)
        driver.adopt([driver.shard(one)], epoch: 5)
        driver.commitAll()
        guard case .state(let answer)? = driver.send(.get(origin: 1, key: one, instance: nil)).replies.first else {
            return #expect(Bool(false))
        }
        #expect(answer.record.version == Version(epoch: 5, sequence: 2))
    }

    // MARK: Commits

    @Test func shardWithoutCopiesHoldsUpNoOther() {
        var driver = owner()
        driver.publish(CoreDriver.event("a", one))
        driver.publish(CoreDriver.event("b", two))
        let out = driver.commit(driver.shard(two))
        #expect(out.acknowledgements.map(\.eventID) == [Array("b".utf8)])
        #expect(out.offered == ["b"])
        #expect(driver.core.heldBackCount == 2)
        let late = driver.commit(driver.shard(one))
        #expect(late.acknowledgements.map(\.eventID) == [Array("a".utf8)] && late.offered == ["a"])
        #expect(driver.core.heldBackCount == 0)
    }

    @Test func effectsOfAShardComeOutInTheirOrder() {
        var driver = owner()
        var batches: [UInt64] = []
        for name in ["a", "b", "c"] {
            driver.publish(CoreDriver.event(name, one))
            batches.append(driver.uncommitted.last!.batch)
        }
        let shard = driver.shard(one)
        #expect(driver.send(.committed(shard: shard, upTo: batches[0] - 1)).acknowledgements.isEmpty)
        let first = driver.send(.committed(shard: shard, upTo: batches[1]))
        #expect(first.acknowledgements.map(\.eventID) == [Array("a".utf8), Array("b".utf8)])
        // What is known already, and another shard's commit, let nothing out.
        #expect(driver.send(.committed(shard: shard, upTo: batches[0])).isEmpty)
        #expect(driver.send(.committed(shard: driver.shard(two), upTo: batches[2])).isEmpty)
        #expect(driver.send(.committed(shard: 60_000, upTo: batches[2])).isEmpty)
        #expect(driver.send(.stored(batch: batches[2])).acknowledgements.count == 1)
    }

    @Test func fullShardLeavesRoomForOthers() {
        var settings = CoreSettings(apps: ["shop"])
        settings.pendingRepliesPerShardMax = 3
        var driver = owner(settings: settings)
        for number in 0..<4 { driver.publish(CoreDriver.event("a\(number)", one)) }
        #expect(driver.publish(CoreDriver.event("more", one)).refusals == ["overloaded"])
        #expect(driver.publish(CoreDriver.event("b", two)).refusals.isEmpty)
        #expect(driver.commit(driver.shard(two)).acknowledgements.count == 1)
        driver.commit(driver.shard(one))
        #expect(driver.publish(CoreDriver.event("more", one)).refusals.isEmpty)
    }

    @Test func waitingCallersAreToldToAskAgain() {
        var driver = owner()
        driver.publish(CoreDriver.event("a", one))
        driver.publish(CoreDriver.event("b", two))
        driver.send(.get(origin: 77, key: one, instance: nil))
        let held = driver.core.heldBackCount
        let out = driver.relinquish([driver.shard(one)])
        #expect(out.refusals == ["shard-moves", "shard-moves"])
        guard case .refused(_, let retry)? = out.replies.first else { return #expect(Bool(false)) }
        #expect(retry == driver.core.settings.moveRetryMilliseconds)
        // The offer went with them; the other shard's effects are there.
        #expect(held == 5 && driver.core.heldBackCount == 2)
        #expect(driver.commitAll().acknowledgements.map(\.eventID) == [Array("b".utf8)])
    }

    @Test func rowsOfTheTurnInWhichAShardGoesAreNotWritten() {
        var driver = owner()
        var out: [CoreEffect] = []
        for (name, key) in [("a", one), ("b", two)] {
            driver.core.handle(.publish(CoreDriver.event(name, key)), now: driver.now, into: &out)
        }
        driver.core.relinquish([driver.shard(one)], into: &out)
        driver.core.endTurn(now: driver.now, into: &out)
        #expect(out.refusals == ["shard-moves"])
        #expect(!out.writes.isEmpty && out.writes.allSatisfy { $0.shard == driver.shard(two) })
    }

    @Test func adoptedAgainInOneTurnStartsAfresh() {
        var driver = owner()
        let shard = driver.shard(one)
        var out: [CoreEffect] = []
        driver.core.handle(.publish(CoreDriver.event("a", one)), now: driver.now, into: &out)
        driver.core.relinquish([shard], into: &out)
        _ = driver.core.adopt(
            [Adoption(shard: shard, epoch: 2, rows: driver.rows(of: shard))], now: driver.now, into: &out)
        driver.core.handle(.publish(CoreDriver.event("b", one)), now: driver.now, into: &out)
        driver.end(out)
        #expect(driver.commitAll().acknowledgements.map(\.version) == [Version(epoch: 2, sequence: 1)])
    }

    // MARK: Two shards

    private func both() -> (OwnerDriver, UInt16, UInt16) {
        var driver = OwnerDriver()
        let channel = CoreDriver.channel()
        let (first, second) = (driver.shard(channel), driver.shard(one))
        driver.adopt([first, second])
        driver.makeChannel(channel)
        driver.send(
            .publishToBoth(channel: CoreDriver.event("a", channel), activity: CoreDriver.event("a", one)))
        return (driver, first, second)
    }

    private func halves(_ effects: [CoreEffect]) -> Int {
        effects.replies.count { if case .acknowledgedBoth = $0 { true } else { false } }
    }

    @Test(arguments: [false, true]) func answerForBothWaitsForBoth(isReversed: Bool) {
        var (driver, first, second) = both()
        if isReversed { swap(&first, &second) }
        #expect(halves(driver.commit(first)) == 0)
        #expect(halves(driver.commit(second)) == 1)
        #expect(driver.core.heldBackCount == 0)
    }

    @Test func answerForBothIsRefusedWhenEitherGoes() {
        for goesFirst in [true, false] {
            var (driver, first, second) = both()
            let out = driver.relinquish([goesFirst ? first : second]) + driver.commitAll()
            #expect(out.refusals == ["shard-moves"] && halves(out) == 0)
        }
        // Also when it is back before the other is committed: its part may be lost.
        var (driver, first, second) = both()
        driver.relinquish([second])
        driver.adopt([second], epoch: 2)
        let out = driver.commit(first) + driver.commitAll()
        #expect(out.refusals == ["shard-moves"] && halves(out) == 0)
    }

    @Test func eventForANameElsewhereIsTakenByNeither() {
        var driver = OwnerDriver()
        let channel = CoreDriver.channel()
        driver.adopt([driver.shard(channel)])
        driver.makeChannel(channel)
        let out = driver.send(
            .publishToBoth(channel: CoreDriver.event("a", channel), activity: CoreDriver.event("a", one)))
        #expect(out.refusals == ["shard-moves"] && driver.core.keyCount == 0)
    }

    // MARK: Disk and lease

    @Test func failedDiskRefusesEventsUntilItRecovers() {
        var driver = owner()
        driver.publish(CoreDriver.event("a", one))
        let batch = driver.uncommitted.last!.batch
        #expect(driver.send(.storeFailed(batch: batch)).refusals == ["not-stored"])
        #expect(driver.publish(CoreDriver.event("b", one)).refusals == ["not-stored"])
        #expect(driver.publish(CoreDriver.event("a", one)).refusals == ["not-stored"])
        // Copies elsewhere may commit it all the same, or the rows are written again.
        #expect(driver.commitAll().offered == ["a"])
        driver.send(.storeRecovered)
        #expect(driver.publish(CoreDriver.event("a", one)).acknowledgements.map(\.isRepeated) == [true])
    }

    @Test func nothingIsReleasedWithoutALease() {
        var driver = owner()
        driver.core.maySend = false
        driver.publish(CoreDriver.event("a", one))
        #expect(driver.commitAll().offers.isEmpty)
        #expect(driver.wait(milliseconds: 5_000).offers.isEmpty && driver.core.nextDeadline == nil)
        driver.core.maySend = true
        #expect(driver.core.nextDeadline != nil)
        #expect(driver.send(.tick).offered == ["a"])
    }

    @Test func channelThatBecomesKnownLateGetsTheState() {
        var driver = OwnerDriver()
        let channel = CoreDriver.channel()
        driver.adopt([driver.shard(channel)])
        driver.makeChannel(channel)
        driver.publish(CoreDriver.event("a", channel))
        driver.commitAll()
        driver.relinquish([driver.shard(channel)])
        driver.send(.channelChanged(key: channel, nil))
        let none = driver.adopt([driver.shard(channel)], epoch: 2) + driver.commitAll()
        #expect((none + driver.wait(milliseconds: 2_000)).offers.isEmpty)
        let out = driver.makeChannel(channel) + driver.commitAll() + driver.wait(milliseconds: 2_000)
        #expect(out.offered == ["a"])
    }

    @Test func stagesAreToldWhenTheyAreWanted() {
        var settings = CoreSettings(apps: ["shop"])
        settings.traces = true
        var driver = owner(settings: settings)
        let first = driver.publish(CoreDriver.event("a", one))
        #expect(first.stages == [.admitted])
        let out = driver.commitAll()
        #expect(out.stages == [.replicated(copies: 1)])
        #expect(driver.report(out.offers[0], .accepted).stages == [.settled(.apnsAccepted)])
        var quiet = owner()
        #expect((quiet.publish(CoreDriver.event("a", one)) + quiet.commitAll()).stages.isEmpty)
    }
}
