import Cluster
import Codes
import Delivery
import LiveActivity
import Testing
import Wire

/// The two waiting places of a key, times, and the end.
@Suite struct ConflationTests {
    private func following() -> CoreDriver {
        var driver = CoreDriver()
        driver.register("t1")
        driver.publishDurably(CoreDriver.event("first"))
        return driver
    }

    @Test func keyIsReleasedOncePerSecond() {
        var driver = following()
        var released = 0
        for step in 0..<100 {
            released += driver.publishDurably(CoreDriver.event("e\(step)")).offers.count
            released += driver.wait(milliseconds: 100).offers.count
        }
        #expect((9...11).contains(released))
    }

    @Test func newestIsAlwaysSent() {
        var driver = following()
        for step in 0..<10 { driver.publishDurably(CoreDriver.event("e\(step)")) }
        #expect(driver.wait(milliseconds: 1_000).offers.map(\.item.eventName) == ["e9"])
        #expect(driver.wait(milliseconds: 5_000).offers.isEmpty)
    }

    @Test func replacedEventsAreSupersededOnceTheNewerIsDurable() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a"))
        #expect(driver.publish(CoreDriver.event("b")).outcomes.isEmpty)
        #expect(driver.commit().outcomes == ["a superseded"])
    }

    @Test func oldestImportantKeepsItsPlaceBeforeTheNewest() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("goal", important: true))
        driver.publishDurably(CoreDriver.event("goal2", important: true))
        let out = driver.publishDurably(CoreDriver.event("ball"))
        #expect(out.outcomes == ["goal2 superseded"])
        let first = driver.wait(milliseconds: 1_000).offers
        let second = driver.wait(milliseconds: 1_000).offers
        #expect((first + second).map(\.item.eventName) == ["goal", "ball"])
        #expect(first[0].item.stampSeconds < second[0].item.stampSeconds)
    }

    @Test func expiredImportantGivesItsPlaceUp() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("goal", important: true, expiresAt: CoreDriver.start + 500))
        driver.publishDurably(CoreDriver.event("ball"))
        let out = driver.wait(milliseconds: 1_000)
        #expect(out.offers.map(\.item.eventName) == ["ball"])
        #expect(out.outcomes == ["goal expired"])
    }

    @Test func expiredNewestIsNotSentButStaysTheState() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a", expiresAt: CoreDriver.start + 500))
        let out = driver.wait(milliseconds: 1_000)
        #expect(out.offers.isEmpty)
        #expect(out.outcomes == ["a expired"])
        #expect(driver.publish(CoreDriver.event("b", expiresAt: CoreDriver.start)).refusals == ["bad-field"])
        guard
            case .state(let state)? = driver.send(.get(origin: 1, key: CoreDriver.activity(), instance: nil)).replies
                .first
        else { return #expect(Bool(false)) }
        #expect(state.record.eventID == Array("a".utf8))
        #expect(state.outcome == .expired)
    }

    @Test func notBeforeIsKept() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a", notBefore: CoreDriver.start + 5_000))
        #expect(driver.wait(milliseconds: 4_000).offers.isEmpty)
        #expect(driver.wait(milliseconds: 1_000).offers.map(\.item.eventName) == ["a"])
    }

    @Test func newerEventReplacesOneThatWaitsForItsTimeEvenAnImportantOne() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a", important: true, notBefore: CoreDriver.start + 5_000))
        #expect(driver.publishDurably(CoreDriver.event("b")).outcomes == ["a superseded"])
        #expect(driver.wait(milliseconds: 1_000).offers.map(\.item.eventName) == ["b"])
        #expect(driver.wait(milliseconds: 9_000).offers.isEmpty)
    }

    @Test func endIsFinal() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("e", .end))
        #expect(driver.publish(CoreDriver.event("late")).refusals == ["ended"])
        #expect(driver.publish(CoreDriver.event("late2", instance: 1)).refusals == ["ended"])
        #expect(driver.publish(CoreDriver.event("again", .end)).refusals == ["ended"])
        #expect(driver.wait(milliseconds: 1_000).offers.map(\.item.event) == [.end])
        driver.restart()
        driver.commit()
        #expect(driver.publish(CoreDriver.event("late3")).refusals == ["ended"])
    }

    @Test func startAfterTheEndMakesANewInstance() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("e", .end))
        driver.wait(milliseconds: 1_000)
        let out = driver.publishDurably(CoreDriver.event("s", .start))
        #expect(out.acknowledgements.map(\.instance) == [2])
        #expect(driver.publishDurably(CoreDriver.event("u")).acknowledgements.map(\.instance) == [2])
        #expect(driver.publish(CoreDriver.event("old", instance: 1)).refusals == ["ended"])
    }

    @Test func channelGoesOnOnlyWithTheNextInstance() {
        var driver = CoreDriver()
        let key = CoreDriver.channel()
        driver.makeChannel(key)
        driver.publishDurably(CoreDriver.event("a", key))
        driver.publishDurably(CoreDriver.event("e", key, .end))
        #expect(driver.publish(CoreDriver.event("u", key)).refusals == ["ended"])
        #expect(driver.publish(CoreDriver.event("u", key, instance: 3)).refusals == ["bad-field"])
        #expect(driver.publishDurably(CoreDriver.event("n", key, instance: 2)).acknowledgements.map(\.instance) == [2])
        // The end of the first instance goes first; lanes see another ticket for the second.
        let end = driver.wait(milliseconds: 1_000).offers
        let next = driver.wait(milliseconds: 3_000).offers
        #expect((end + next).map(\.item.eventName) == ["e", "n"])
        #expect(end[0].item.ticket < next[0].item.ticket)
        #expect(end[0].item.stampSeconds < next[0].item.stampSeconds)
        #expect(driver.report(end[0].item, end[0].destinations[0], .accepted).outcomes == ["e apns_accepted"])
        #expect(driver.report(next[0].item, next[0].destinations[0], .accepted).outcomes == ["n apns_accepted"])
    }

    @Test func liveInstanceIsNotStartedAgain() {
        var driver = following()
        #expect(driver.publish(CoreDriver.event("s", .start)).refusals == ["superseded"])
        #expect(driver.publish(CoreDriver.event("n", instance: 2)).refusals == ["bad-field"])
    }

    @Test func endTakesTheImportantPlaceOfANextInstance() {
        var driver = CoreDriver()
        let key = CoreDriver.channel()
        driver.makeChannel(key)
        driver.publishDurably(CoreDriver.event("a", key))
        driver.publishDurably(CoreDriver.event("goal", key, important: true))
        driver.publishDurably(CoreDriver.event("e", key, .end))
        let out = driver.publishDurably(CoreDriver.event("n", key, instance: 2))
        #expect(out.outcomes == ["goal superseded"])
        var names: [String] = []
        for _ in 0..<8 { names += driver.wait(milliseconds: 1_000).offers.map(\.item.eventName) }
        #expect(names == ["e", "n"])
    }

    @Test func endedNameIsForgottenAfterItsTime() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("e", .end))
        driver.wait(milliseconds: 1_000)
        driver.wait(milliseconds: driver.settings.endedKeepMilliseconds)
        #expect(driver.core.owner.keyCount == 0)
        #expect(driver.core.owner.tokenCount == 0)
        #expect(driver.disk.keys.allSatisfy { $0.kind == StoredKind.cluster.rawValue })
        #expect(driver.publishDurably(CoreDriver.event("again")).acknowledgements.count == 1)
    }

    @Test func fullNodeRefusesNewNamesOnly() {
        var settings = CoreSettings(apps: ["shop"])
        settings.keysMax = 2
        var driver = CoreDriver(settings: settings)
        driver.publishDurably(CoreDriver.event("a", CoreDriver.activity("1")))
        driver.publishDurably(CoreDriver.event("b", CoreDriver.activity("2")))
        let out = driver.publish(CoreDriver.event("c", CoreDriver.activity("3")))
        #expect(out.refusals == ["overloaded"])
        #expect(
            out.replies == [
                .refused(.init(.overloaded, "the node holds as many names as it may"), retryMilliseconds: 1_000)
            ])
        #expect(driver.publishDurably(CoreDriver.event("d", CoreDriver.activity("1"))).acknowledgements.count == 1)
        #expect(driver.core.owner.counters.overloaded == 1)
    }

    @Test func tooManyAnswersThatWaitForTheDiskRefuse() {
        var settings = CoreSettings(apps: ["shop"])
        settings.pendingRepliesMax = 3
        var driver = CoreDriver(settings: settings)
        driver.commit()
        for step in 0..<3 { driver.publish(CoreDriver.event("e\(step)")) }
        #expect(driver.publish(CoreDriver.event("x")).refusals == ["overloaded"])
        driver.commit()
        #expect(driver.publish(CoreDriver.event("x")).refusals.isEmpty)
    }
}
