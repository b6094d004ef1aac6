import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// From reports of lanes to outcomes, receipts and rows.
@Suite struct SettleTests {
    typealias Outcome = LaneReport.Outcome

    static let refused = Outcome.failed(status: 400, reason: "PayloadEmpty")
    static let gone = Outcome.gone(status: 410, reason: "Unregistered", sinceMilliseconds: nil)

    @Test(
        arguments: [
            ([.accepted, .accepted, .accepted], "apns_accepted"),
            ([.accepted, refused, gone], "apns_accepted"),
            ([.accepted, .unknown, .superseded], "apns_accepted"),
            ([.unknown, .superseded, refused], "unknown"),
            ([.superseded, .expired, refused], "superseded"),
            ([.expired, refused, gone], "expired"),
            ([refused, gone, gone], "failed"),
            ([gone, gone, gone], "failed"),
        ] as [([Outcome], String)])
    func outcomesOfManyTokensMakeOne(outcomes: [Outcome], expected: String) {
        var driver = CoreDriver()
        for token in ["t1", "t2", "t3"] { driver.register(token) }
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        var receipts: [Receipt] = []
        for (destination, outcome) in zip(destinations, outcomes) {
            #expect(receipts.isEmpty)
            receipts += driver.report(item, destination, outcome).receipts
        }
        #expect(receipts.map(\.outcome.name) == [expected])
        #expect(receipts.map(\.tally.offered) == [3])
        #expect(receipts.allSatisfy { $0.tally.outstanding == 0 })
        #expect(receipts.map(\.producer) == [Array("p1".utf8)])
        #expect(receipts.allSatisfy { $0.origin != nil })
    }

    @Test func settlingRewritesNoPayload() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.send(
            .report([
                LaneReport(
                    destination: destinations[0], ticket: item.ticket, sequence: item.sequence, outcome: .accepted)
            ]))
        #expect(driver.uncommitted.flatMap(\.writes).allSatisfy { $0.kind != .record })
        #expect(driver.uncommitted.flatMap(\.writes).contains { $0.kind == .settlement })
    }

    @Test func deadTokenIsRemovedAndStaysSo() {
        var driver = CoreDriver()
        driver.register("t1")
        driver.register("t2")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        let out = driver.report(item, destinations[0], Self.gone)
        #expect(out.notices == [.tokenGone(app: 0, status: 410, reason: "Unregistered")])
        #expect(driver.core.owner.tokenCount == 1)
        driver.restart()
        driver.commit()
        #expect(driver.core.owner.tokenCount == 1)
        let next = driver.publishDurably(CoreDriver.event("b")).offers + driver.wait(milliseconds: 1_000).offers
        #expect(next.last?.destinations == [destinations[1]])
    }

    @Test func tokenRegisteredAfterAPNsTimeStays() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(
            item, destinations[0],
            .gone(status: 410, reason: "Unregistered", sinceMilliseconds: CoreDriver.start - 1))
        #expect(driver.core.owner.tokenCount == 1)
        driver.publishDurably(CoreDriver.event("b"))
        let next = driver.wait(milliseconds: 1_000).offers[0]
        driver.report(
            next.item, next.destinations[0],
            .gone(status: 410, reason: "Unregistered", sinceMilliseconds: CoreDriver.start + 1))
        #expect(driver.core.owner.tokenCount == 0)
    }

    @Test func lostChannelStopsAndIsSaid() {
        var driver = CoreDriver()
        let key = CoreDriver.channel()
        driver.makeChannel(key)
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a", key)).offers[0]
        #expect(item.expirationSeconds == item.stampSeconds + driver.settings.storedSeconds)
        let out = driver.report(
            item, destinations[0], .gone(status: 400, reason: "ChannelNotRegistered", sinceMilliseconds: nil))
        #expect(out.outcomes == ["a failed"])
        #expect(out.notices.contains(.channelLost(app: 0)))
        #expect(driver.publish(CoreDriver.event("b", key)).refusals == ["unknown-channel"])
        driver.makeChannel(key, id: "CH2")
        let next = driver.publishDurably(CoreDriver.event("c", key)).offers + driver.wait(milliseconds: 5_000).offers
        #expect(next.map(\.destinations) == [[Destination(kind: .channel, app: 0, address: Array("CH2".utf8))]])
    }

    @Test func channelWithoutStorageGetsNoExpiration() {
        var driver = CoreDriver()
        let key = CoreDriver.channel()
        driver.makeChannel(key, policy: .none)
        let offers = driver.publishDurably(CoreDriver.event("a", key, expiresAt: CoreDriver.start + 60_000)).offers
        #expect(offers.map(\.item.expirationSeconds) == [0])
    }

    @Test func overloadedLaneIsOfferedTheSameVersionAgain() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        #expect(driver.report(item, destinations[0], .overloaded).offers.isEmpty)
        let again = driver.wait(milliseconds: 1_000).offers
        #expect(again.map(\.item.sequence) == [item.sequence])
        #expect(driver.report(item, destinations[0], .accepted).outcomes == ["a apns_accepted"])
    }

    @Test func strangeReportsAreCountedAndHarmless() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        for ticket in [0, .max, item.ticket + 1, item.ticket | 1 << 60] as [UInt64] {
            var strange = item
            strange.ticket = ticket
            driver.report(strange, destinations[0], .accepted)
        }
        var late = item
        late.sequence = 77
        driver.report(late, destinations[0], .accepted)
        driver.report(item, destinations[0], .accepted)
        driver.report(item, destinations[0], .accepted)
        #expect(driver.core.owner.counters.reportsUnmatched == 6)
    }

    @Test func conflationDoesNotHideHowLongDevicesHaveWaited() {
        var driver = CoreDriver()
        driver.register("t1")
        for step in 0..<5 {
            driver.publishDurably(CoreDriver.event("e\(step)", notBefore: CoreDriver.start + 60_000))
            driver.wait(milliseconds: 1_000)
        }
        #expect(driver.core.ageOfNewestUnsent(now: driver.now) == 5_000)
    }

    @Test func ageOfTheNewestUnsentStateGrowsUntilAPNsHasIt() {
        var driver = CoreDriver()
        driver.register("t1")
        #expect(driver.core.ageOfNewestUnsent(now: driver.now) == 0)
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.wait(milliseconds: 3_000)
        driver.publishDurably(CoreDriver.event("b"))
        #expect(driver.core.ageOfNewestUnsent(now: driver.now) == 3_000)
        driver.report(item, destinations[0], .accepted)
        driver.wait(milliseconds: 1_000)
        #expect(driver.core.ageOfNewestUnsent(now: driver.now) == 1_000)
        // Nobody follows: nothing is lacking.
        driver.publishDurably(CoreDriver.event("x", CoreDriver.activity("lonely")))
        var other = CoreDriver()
        other.publishDurably(CoreDriver.event("x"))
        #expect(other.core.ageOfNewestUnsent(now: other.now.advanced(byMilliseconds: 5_000)) == 0)
    }
}
