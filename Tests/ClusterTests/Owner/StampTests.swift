import Cluster
import Delivery
import LiveActivity
import Testing

/// Rules S1 to S3 of `aps.timestamp`.
@Suite struct StampTests {
    private static let second = CoreDriver.start / 1000

    private func following() -> CoreDriver {
        var driver = CoreDriver()
        driver.register("t1")
        return driver
    }

    @Test func firstEventTakesTheClock() {
        var driver = following()
        let offers = driver.publishDurably(CoreDriver.event("a")).offers
        #expect(offers.map(\.item.stampSeconds) == [Self.second])
    }

    @Test func stampsGrowWithoutTheClock() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a"))
        driver.now.wallMilliseconds -= 5_000
        driver.publishDurably(CoreDriver.event("b"))
        let offers = driver.wait(milliseconds: 1_000).offers
        #expect(offers.map(\.item.stampSeconds) == [Self.second + 1])
    }

    @Test func unhandedRecordGivesItsStampAway() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a"))
        for id in ["b", "c", "d", "e", "f"] { driver.publishDurably(CoreDriver.event(id)) }
        let offers = driver.wait(milliseconds: 1_000).offers
        #expect(offers.map(\.item.eventName) == ["f"])
        #expect(offers.map(\.item.stampSeconds) == [Self.second + 1])
    }

    @Test func takenOverStampFollowsTheClock() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a"))
        driver.publishDurably(CoreDriver.event("b"))
        driver.now = driver.now.advanced(byMilliseconds: 900)
        driver.now.wallMilliseconds += 4_000
        driver.publishDurably(CoreDriver.event("c"))
        let offers = driver.wait(milliseconds: 100).offers
        #expect(offers.map(\.item.stampSeconds) == [Self.second + 4])
    }

    @Test func pinnedRecordKeepsItsStampAndTheNextGetsItsOwn() {
        var driver = following()
        // Due at once, but the disk is slow: the record is pinned.
        #expect(driver.publish(CoreDriver.event("a")).offers.isEmpty)
        driver.publish(CoreDriver.event("b"))
        driver.publish(CoreDriver.event("c"))
        #expect(driver.core.owner.counters.pinned == 1)
        let first = driver.commit().offers
        #expect(first.map(\.item.eventName) == ["a"])
        #expect(first.map(\.item.stampSeconds) == [Self.second])
        let second = driver.wait(milliseconds: 1_000).offers
        #expect(second.map(\.item.eventName) == ["c"])
        #expect(second.map(\.item.stampSeconds) == [Self.second + 1])
    }

    @Test func fastProducerDoesNotStarveItsKeyOnASlowDisk() {
        var driver = following()
        var names: [String] = []
        for step in 0..<100 {
            driver.now = driver.now.advanced(byMilliseconds: 50)
            var out = driver.publish(CoreDriver.event("e\(step)"))
            // One batch is always under way.
            if step % 10 == 9 { out = driver.commit() }
            names += out.offers.map(\.item.eventName)
        }
        #expect(names.count >= 4)
    }

    @Test func staleReportMakesOneNewVersionForAllLanes() {
        var driver = following()
        driver.register("t2")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        #expect(destinations.count == 2)
        driver.now = driver.now.advanced(byMilliseconds: 12_000)
        var offers = driver.report(item, destinations[0], .stale).offers
        offers += driver.report(item, destinations[1], .stale).offers
        offers += driver.wait(milliseconds: 1_000).offers
        #expect(Set(offers.map(\.item.sequence)).count == 1)
        #expect(offers.allSatisfy { $0.item.sequence > item.sequence })
        #expect(offers.allSatisfy { $0.item.stampSeconds == Self.second + 12 })
        #expect(offers.flatMap(\.destinations).count == 2)
        #expect(driver.core.owner.counters.restamped == 1)
    }

    @Test func freshStampIsStoredBeforeItIsSent() {
        var driver = following()
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 12_000)
        let report = LaneReport(
            destination: destinations[0], ticket: item.ticket, sequence: item.sequence, outcome: .stale)
        #expect(driver.send(.report([report])).offers.isEmpty)
        #expect(!driver.uncommitted.isEmpty)
        #expect(driver.commit().offers.map(\.item.stampSeconds) == [Self.second + 12])
    }

    @Test func recordThatWaitedTooLongIsStampedAnewAtItsRelease() {
        var driver = following()
        let notBefore = CoreDriver.start + 20_000
        #expect(driver.publishDurably(CoreDriver.event("a", notBefore: notBefore)).offers.isEmpty)
        let offers = driver.wait(milliseconds: 20_000).offers
        #expect(offers.map(\.item.stampSeconds) == [Self.second + 20])
    }

    @Test func staleImportantAndNewestAreStampedAnewInOrder() {
        var driver = following()
        let goal = driver.publishDurably(CoreDriver.event("goal", important: true)).offers[0]
        driver.publishDurably(CoreDriver.event("ball"))
        let ball = driver.wait(milliseconds: 1_000).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 15_000)
        // A lane gives both back at once.
        var out = driver.send(
            .report(
                [goal, ball].map {
                    LaneReport(
                        destination: $0.destinations[0], ticket: $0.item.ticket, sequence: $0.item.sequence,
                        outcome: .stale)
                }))
        out += driver.commit()
        for _ in 0..<3 { out += driver.wait(milliseconds: 1_000) }
        #expect(out.offers.map(\.item.eventName) == ["goal", "ball"])
        #expect(out.offers[0].item.sequence < out.offers[1].item.sequence)
        #expect(out.offers[0].item.stampSeconds < out.offers[1].item.stampSeconds)
        #expect(out.offers[0].item.stampSeconds >= Self.second + 16)
    }

    @Test func staleImportantPassesANewestThatHasNotLeft() {
        var driver = following()
        let goal = driver.publishDurably(CoreDriver.event("goal", important: true)).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 15_000)
        driver.publish(CoreDriver.event("ball", notBefore: driver.now.wallMilliseconds + 3_000))
        var out = driver.commit() + driver.report(goal.item, goal.destinations[0], .stale)
        for _ in 0..<5 { out += driver.wait(milliseconds: 1_000) }
        #expect(out.offers.map(\.item.eventName) == ["goal", "ball"])
        #expect(out.offers[0].item.stampSeconds < out.offers[1].item.stampSeconds)
        #expect(out.offers[0].item.sequence < out.offers[1].item.sequence)
    }

    @Test func staleImportantStaysAwayWhereTheNewestMayHaveBeenSent() {
        var driver = following()
        let goal = driver.publishDurably(CoreDriver.event("goal", important: true)).offers[0]
        driver.publishDurably(CoreDriver.event("ball"))
        let ball = driver.wait(milliseconds: 1_000).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 11_000)
        var out = driver.report(goal.item, goal.destinations[0], .stale)
        out += driver.wait(milliseconds: 2_000)
        #expect(out.offers.isEmpty)
        #expect(out.outcomes == ["goal superseded"])
        #expect(driver.report(ball.item, ball.destinations[0], .accepted).outcomes == ["ball apns_accepted"])
    }

    @Test(arguments: [(500, true), (9_000, true), (30_000, false)] as [(Int64, Bool)])
    func reassertionKeepsAStampOfTenSecondsAndNoOlder(pause: Int64, keeps: Bool) {
        var driver = following()
        let (item, _) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.restart(afterMilliseconds: pause)
        let offers = driver.effects.offers + driver.commit().offers
        guard offers.count == 1 else { return #expect(offers.count == 1) }
        #expect((offers[0].item.stampSeconds == item.stampSeconds) == keeps)
        #expect((offers[0].item.sequence == item.sequence) == keeps)
    }

    @Test func loadedRecordCountsAsHanded() {
        var driver = following()
        driver.publishDurably(CoreDriver.event("a"))
        driver.publishDurably(CoreDriver.event("b"))  // not released yet, but its bytes may have left
        driver.restart(afterMilliseconds: 1)
        driver.commit()
        driver.publishDurably(CoreDriver.event("c"))
        let offers = driver.wait(milliseconds: 1_000).offers
        #expect(offers.map(\.item.stampSeconds) == [Self.second + 2])
    }

    @Test func stampsStayCloseToTheClock() {
        var driver = following()
        var lead: Int64 = 0
        for step in 0..<2_000 {
            driver.now = driver.now.advanced(byMilliseconds: 50)
            var out = driver.publish(CoreDriver.event("e\(step)"))
            if step % 3 == 0 { out += driver.commit() }
            for offer in out.offers {
                lead = max(lead, offer.item.stampSeconds - driver.now.wallMilliseconds / 1000)
            }
        }
        #expect(lead <= 2)
    }
}
