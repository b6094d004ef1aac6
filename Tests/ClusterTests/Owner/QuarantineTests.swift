import Cluster
import Delivery
import Testing
import Wire

/// Tokens that APNs does not take here, and tokens that replace each other.
@Suite struct QuarantineTests {
    private static let foreign = LaneReport.Outcome.gone(
        status: 400, reason: "BadDeviceToken", sinceMilliseconds: nil)

    private func faults(_ driver: inout CoreDriver) -> [String] {
        (driver.show()?.tokens ?? []).map { $0.fault?.name ?? "in use" }
    }

    @Test func foreignTokenIsKeptAndShownAndNotSentTo() {
        var driver = CoreDriver()
        driver.register("t1", device: "phone")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        let out = driver.report(item, destinations[0], Self.foreign)
        #expect(out.notices == [.tokenQuarantined(app: 0, fault: .wrongEnvironment, reason: "BadDeviceToken")])
        #expect(driver.core.owner.tokenCount == 0 && driver.core.owner.quarantinedCount == 1)
        #expect(driver.core.owner.counters.tokensWrongEnvironment == 1 && driver.core.owner.counters.tokensGone == 0)
        driver.wait(milliseconds: 2_000)
        #expect(driver.publishDurably(CoreDriver.event("b")).offers.isEmpty)
        driver.restart()
        #expect(driver.summary.tokensQuarantined == 1)
        #expect(faults(&driver) == ["wrong-environment"])
    }

    @Test func registeringAgainEndsTheQuarantine() {
        var driver = CoreDriver()
        driver.register("t1", device: "phone")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(item, destinations[0], Self.foreign)
        driver.wait(milliseconds: 2_000)
        #expect(driver.register("t1", device: "phone").offers.count == 1)
        #expect(faults(&driver) == ["in use"])
        driver.restart()
        #expect(driver.core.owner.tokenCount == 1 && driver.core.owner.quarantinedCount == 0)
    }

    @Test func anotherTokenOfTheDeviceReplacesTheOneInQuarantine() {
        var driver = CoreDriver()
        driver.register("t1", device: "phone")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(item, destinations[0], Self.foreign)
        driver.register("t2", device: "phone")
        #expect(driver.core.owner.tokenCount == 1 && driver.core.owner.quarantinedCount == 0)
        driver.restart()
        #expect(driver.core.owner.tokenCount == 1 && driver.core.owner.quarantinedCount == 0)
    }

    @Test func newTokenOfADeviceReplacesTheOldOne() {
        var driver = CoreDriver()
        driver.register("t1", device: "phone")
        driver.register("t2", device: "phone")
        driver.register("t3", device: "tablet")
        #expect(driver.core.owner.tokenCount == 2 && driver.core.owner.counters.tokensReplaced == 1)
        driver.restart()
        let offers = driver.publishDurably(CoreDriver.event("a")).offers
        #expect(Set(offers.flatMap(\.destinations)) == [CoreDriver.token("t2"), CoreDriver.token("t3")])
    }

    @Test func expiredTokenIsRemovedUnlessItWasRegisteredLater() {
        func expired(_ since: Int64?) -> LaneReport.Outcome {
            .gone(status: 410, reason: "ExpiredToken", sinceMilliseconds: since)
        }
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(item, destinations[0], expired(CoreDriver.start - 1))
        #expect(driver.core.owner.tokenCount == 1)
        driver.wait(milliseconds: 2_000)
        let second = driver.publishDurably(CoreDriver.event("b")).offers[0]
        driver.report(second.item, destinations[0], expired(CoreDriver.start + 1))
        #expect(driver.core.owner.tokenCount == 0 && driver.core.owner.counters.tokensExpired == 1)
    }

    @Test func foreignStartTokenIsQuarantinedToo() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let offer = driver.publishDurably(CoreDriver.start("s")).offers[0]
        driver.report(
            offer.item, phone, .gone(status: 400, reason: "DeviceTokenNotForTopic", sinceMilliseconds: nil))
        #expect(driver.core.owner.deviceTokenCount == 1 && driver.core.owner.counters.tokensWrongTopic == 1)
        driver.restart()
        let other = CoreDriver.activity("other")
        #expect(driver.publishDurably(CoreDriver.start("s", key: other)).receipts.map(\.outcome.reason) == ["refused"])
        driver.registerStart("phone", "s1")
        let third = CoreDriver.activity("third")
        #expect(driver.publishDurably(CoreDriver.start("s", key: third)).offers.count == 1)
    }
}
