import Cluster
import Codes
import Delivery
import LiveActivity
import Testing
import Wire

/// Restarts, and why a replay never rings.
@Suite struct RecoveryTests {
    private func following() -> CoreDriver {
        var driver = CoreDriver()
        driver.register("t1")
        return driver
    }

    @Test func alertLeavesOnlyWithItsIntentDurable() {
        var driver = following()
        let out = driver.publish(CoreDriver.event("goal", rings: true))
        #expect(out.offers.isEmpty)
        #expect(driver.uncommitted.flatMap(\.writes).contains { $0.kind == .intent })
        let offers = driver.commit().offers
        #expect(offers.map(\.item.quiet) == [false])
    }

    @Test func alertWithoutIntentMayRingAfterARestart() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("first"))
        // Stored, but its key is not due: no intent.
        driver.publishDurably(CoreDriver.event("goal", rings: true))
        driver.restart()
        let offers = driver.commit().offers + driver.wait(milliseconds: 1_000).offers
        #expect(offers.map(\.item.eventName) == ["goal"])
        #expect(offers.map(\.item.quiet) == [false])
        #expect(driver.summary.unsettled == 1 && driver.summary.quieted == 0)
    }

    @Test(arguments: [500, 20_000] as [Int64])
    func alertWithIntentAndWithoutOutcomeIsSentAgainQuietly(pause: Int64) {
        var driver = following()
        driver.publishDurably(CoreDriver.event("goal", rings: true))
        driver.restart(afterMilliseconds: pause)
        #expect(driver.summary.quieted == 1)
        let offers = driver.effects.offers + driver.commit().offers
        #expect(offers.map(\.item.eventName) == ["goal"])
        #expect(offers.map(\.item.quiet) == [true])
        // Also after a second crash.
        driver.restart(afterMilliseconds: pause)
        #expect((driver.effects.offers + driver.commit().offers).map(\.item.quiet) == [true])
    }

    @Test func freshVersionOfAnAlertThatMayHaveArrivedIsQuiet() {
        var driver = following()
        let (item, destinations) = driver.publishDurably(CoreDriver.event("goal", rings: true)).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 12_000)
        let again = driver.report(item, destinations[0], .stale, mayHaveArrived: true).offers
        #expect(again.map(\.item.quiet) == [true])
    }

    @Test func freshVersionOfAnAlertThatNeverLeftRings() {
        var driver = following()
        let (item, destinations) = driver.publishDurably(CoreDriver.event("goal", rings: true)).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 12_000)
        let again = driver.report(item, destinations[0], .stale).offers
        #expect(again.map(\.item.quiet) == [false])
        // The intent of its first version holds for the fresh one too.
        driver.restart(afterMilliseconds: 500)
        #expect((driver.effects.offers + driver.commit().offers).map(\.item.quiet) == [true])
    }

    /// Else a take-over of many such names would write all of them anew.
    @Test func recordThatNobodyFollowsIsNotWrittenAgain() {
        var driver = CoreDriver()
        driver.publishDurably(CoreDriver.event("goal"))
        driver.restart(afterMilliseconds: 60_000)
        #expect(driver.summary.unsettled == 1)
        driver.wait(milliseconds: 2_000)
        #expect(driver.uncommitted.isEmpty && driver.core.owner.counters.restamped == 0)
        // Whoever follows it later gets a fresh stamp all the same.
        let offers = driver.register("t1").offers + driver.wait(milliseconds: 2_000).offers
        #expect(offers.map(\.item.eventName) == ["goal"])
        #expect(offers.allSatisfy { $0.item.stampSeconds >= driver.now.wallMilliseconds / 1000 - 2 })
    }

    @Test func manyRecordsAreReleasedOverSeveralTurns() {
        var settings = CoreSettings(apps: ["shop"])
        settings.releasesPerTurn = 3
        var driver = CoreDriver(settings: settings)
        for number in 0..<7 {
            let key = CoreDriver.activity("order\(number)")
            driver.register("t\(number)", key)
            driver.publishDurably(CoreDriver.event("e\(number)", key))
        }
        driver.restart()
        let turns = (0..<4).map { _ in
            defer { driver.send(.tick) }
            return driver.effects.offers.count
        }
        #expect(turns == [3, 3, 1, 0])
    }

    @Test func settledRecordIsNotSentAgain() {
        var driver = following()
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(item, destinations[0], .accepted)
        driver.restart()
        #expect(driver.summary.records == 1 && driver.summary.unsettled == 0)
        #expect((driver.effects.offers + driver.wait(milliseconds: 5_000).offers).isEmpty)
    }

    @Test func uncommittedEventIsForgottenAndItsIDIsNew() {
        var driver = following()
        driver.publish(CoreDriver.event("a"))
        driver.restart()
        driver.commit()
        #expect(driver.summary.records == 0)
        let out = driver.publishDurably(CoreDriver.event("a"))
        #expect(out.acknowledgements.map(\.isRepeated) == [false])
        #expect(out.offers.count == 1)
    }

    @Test func importantBesideANewerOneSurvivesWhenNeitherHasLeft() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("first"))
        driver.publishDurably(CoreDriver.event("goal", rings: true, important: true))
        driver.publishDurably(CoreDriver.event("ball"))
        driver.restart(afterMilliseconds: 30_000)
        #expect(driver.summary.importants == 1)
        var out = driver.effects + driver.commit()
        for _ in 0..<3 { out += driver.wait(milliseconds: 1_000) }
        #expect(out.offers.map(\.item.eventName) == ["goal", "ball"])
        #expect(out.offers.map(\.item.quiet) == [false, false])
        #expect(out.offers[0].item.stampSeconds < out.offers[1].item.stampSeconds)
    }

    @Test func importantThatMayHaveLeftDoesNotFollowANewerState() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("first"))
        driver.publishDurably(CoreDriver.event("goal", rings: true, important: true))
        driver.publishDurably(CoreDriver.event("ball"))
        driver.wait(milliseconds: 1_000)  // the goal is released
        driver.restart(afterMilliseconds: 30_000)
        var out = driver.effects + driver.commit()
        for _ in 0..<3 { out += driver.wait(milliseconds: 1_000) }
        #expect(out.offers.map(\.item.eventName) == ["ball"])
        guard
            case .status(let answer)? =
                driver.send(.status(origin: 1, eventID: Array("goal".utf8), key: CoreDriver.activity())).replies.first
        else { return #expect(Bool(false)) }
        #expect(answer.outcome == .unknown)
    }

    @Test func startIsSentAtMostOnce() {
        var driver = CoreDriver()
        let start = driver.registerStart("phone", "s1")
        let offers = driver.publishDurably(CoreDriver.start("s")).offers
        #expect(offers.map(\.destinations) == [[start]])
        driver.restart()
        #expect(driver.summary.startsUnknown == 1)
        #expect((driver.effects.offers + driver.wait(milliseconds: 5_000).offers).isEmpty)
        let again = driver.publishDurably(CoreDriver.start("s"))
        #expect(again.acknowledgements.map(\.outcome) == [.unknown])
    }

    @Test func unreadableRowsAreLeftOutAndNamed() {
        var core = OwnerCore(settings: CoreSettings(apps: ["shop"]))
        let name = Array(CoreDriver.activity().nameBytes)
        let shard = core.shard(of: CoreDriver.activity())
        var rows: [(kind: UInt8, key: [UInt8], value: [UInt8])] = [
            (1, name, [1, 2, 3]), (1, name, [9, 2, 3]), (99, name, [1]),
        ]
        for kind in StoredKind.allCases { rows.append((kind.rawValue, [7], [])) }
        var out: [CoreEffect] = []
        let summary = core.adopt(
            [Adoption(shard: shard, epoch: 1, rows: rows)],
            now: Moment(wallMilliseconds: 1, bootMilliseconds: 1), into: &out)
        let codes = out.compactMap { effect -> Code? in
            if case .notice(.rowLeftOut(shard, let fault)) = effect { fault.code } else { nil }
        }
        #expect(Array(codes.prefix(3)) == [.rowUnreadable, .rowTooNew, .rowUnknown])
        #expect(codes.count == rows.count && summary.rowsUnreadable == rows.count && summary.records == 0)
    }

    // MARK: Disk trouble

    @Test func recordWhoseIntentIsSlowIsNotPassedByTheNext() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("first"))
        driver.publishDurably(CoreDriver.event("goal", rings: true, important: true))
        driver.publishDurably(CoreDriver.event("e", .end))
        // The goal is released, its intent is under way for more than a second.
        driver.now = driver.now.advanced(byMilliseconds: 1_000)
        #expect(driver.send(.tick).offers.isEmpty)
        driver.now = driver.now.advanced(byMilliseconds: 1_000)
        #expect(driver.send(.tick).offers.isEmpty)
        #expect(driver.commit().offers.map(\.item.eventName) == ["goal", "e"])
    }

    @Test func failedBatchRefusesItsEventsAndIsWrittenAgain() {
        var driver = following()
        driver.publish(CoreDriver.event("a"))
        let batch = driver.uncommitted[0].batch
        driver.uncommitted = []
        let out = driver.send(.storeFailed(batch: batch))
        #expect(out.refusals == ["not-stored"])
        #expect(out.notices.count == 1)
        #expect(driver.publish(CoreDriver.event("b")).refusals == ["not-stored"])
        #expect(driver.publish(CoreDriver.event("a")).refusals == ["not-stored"])
        #expect(driver.uncommitted.isEmpty)
        let again = driver.wait(milliseconds: 1_000)
        #expect(again.offers.map(\.item.eventName) == ["a"])
        // The producer's repetition finds it stored.
        #expect(driver.publishDurably(CoreDriver.event("a")).acknowledgements.map(\.isRepeated) == [true])
    }

    @Test func nothingBehindAFailedBatchCountsAsStored() {
        var driver = following()
        driver.publish(CoreDriver.event("a", CoreDriver.activity("1")))
        driver.publish(CoreDriver.event("b", CoreDriver.activity("2")))
        let batches = driver.uncommitted.map(\.batch)
        driver.uncommitted = []
        #expect(driver.send(.storeFailed(batch: batches[0])).refusals == ["not-stored", "not-stored"])
        #expect(driver.send(.stored(batch: batches[1])).isEmpty)
        driver.wait(milliseconds: 1_000)
        #expect(driver.disk.keys.count { $0.kind == StoredKind.record.rawValue } == 2)
    }
}
