import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// Push-to-start: one start per device and instance, and what comes after it.
@Suite struct StartTests {
    private typealias Outcome = LaneReport.Outcome

    @Test func startGoesToEveryDeviceOfTheUserThatHasATokenOfTheType() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let tablet = driver.registerStart("tablet", "s2")
        driver.registerDevice(
            DeviceTokenInput(
                origin: 9, name: CoreDriver.name("watch"), destination: CoreDriver.startToken("s3"),
                attributesType: Array("Other".utf8)))
        let offers = driver.publishDurably(CoreDriver.start("s")).offers
        #expect(offers.map(\.destinations) == [[phone, tablet]])
        #expect(driver.starts() == ["phone sending", "tablet sending", "watch no-start-token"])
    }

    @Test func onlyTheNamedDeviceIsStarted() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        let tablet = driver.registerStart("tablet", "s2")
        #expect(driver.publishDurably(CoreDriver.start("s", device: "tablet")).offers.map(\.destinations) == [[tablet]])
    }

    @Test func intentIsDurableBeforeTheStartLeaves() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        #expect(driver.publish(CoreDriver.start("s")).offers.isEmpty)
        #expect(driver.uncommitted.flatMap(\.writes).contains { $0.kind == .start })
        #expect(driver.uncommitted.flatMap(\.writes).contains { $0.kind == .intent })
        #expect(driver.commit().offers.count == 1)
    }

    @Test func updatesBeforeTheTokenAreHeldAndTheNewestGoesOutWhenItComes() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        driver.publish(CoreDriver.start("s"))
        var offers: [(item: PushItem, destinations: [Destination])] = []
        for number in 1...20 { offers += driver.publishDurably(CoreDriver.event("\(number)")).offers }
        for _ in 0..<30 { offers += driver.wait(milliseconds: 1_000).offers }
        #expect(offers.map(\.destinations) == [[phone]], "one start and nothing else")
        let outcome = driver.report(offers[0].item, phone, .accepted)
        #expect(outcome.outcomes == ["s apns_accepted"])
        #expect(driver.starts() == ["phone pending"])
        let state = driver.register("t1", device: "phone").offers
        #expect(state.map(\.item.eventName) == ["20"] && state.map(\.destinations) == [[CoreDriver.token("t1")]])
        #expect(state[0].item.stampSeconds > offers[0].item.stampSeconds)
        #expect(driver.starts() == ["phone joined"])
    }

    /// There is one place beside the newest, and the end of the instance before has it: an update that came now would
    /// be all that is left of the start.
    @Test func anUpdateWaitsWhileAStartHasNoPlace() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        driver.register("t1")
        driver.publishDurably(CoreDriver.event("1"))
        let end =
            driver.publishDurably(CoreDriver.event("e", .end)).offers
            + driver.wait(milliseconds: 1_500).offers
        #expect(end.map(\.item.event) == [.end])
        driver.publishDurably(CoreDriver.start("s"))
        let early = driver.publish(CoreDriver.event("2"))
        #expect(early.refusals == ["overloaded"])
        let start = driver.wait(milliseconds: 3_000).offers
        #expect(start.map(\.destinations) == [[phone]])
        #expect(driver.publishDurably(CoreDriver.event("2")).refusals.isEmpty)
    }

    @Test func aLateStartDoesNotOutrankTheUpdateThatFollows() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        driver.publishDurably(CoreDriver.event("0", CoreDriver.activity("other")))
        let start = driver.publishDurably(CoreDriver.start("s"))
        driver.publishDurably(CoreDriver.event("1"))
        let (item, destinations) = start.offers[0]
        driver.wait(milliseconds: 15_000)
        let again = driver.report(item, destinations[0], .stale).offers + driver.wait(milliseconds: 2_000).offers
        #expect(again.map(\.item.event) == [.start])
        let state = driver.register("t1", device: "phone").offers + driver.wait(milliseconds: 2_000).offers
        #expect(state.map(\.item.eventName) == ["1"])
        #expect((state.first?.item.stampSeconds ?? 0) > (again.first?.item.stampSeconds ?? 0))
    }

    @Test func lostAnswerIsFinalAndStillWaitsForTheToken() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let offer = driver.publishDurably(CoreDriver.start("s")).offers[0]
        driver.restart()
        #expect((driver.effects.offers + driver.wait(milliseconds: 5_000).offers).isEmpty)
        #expect(driver.starts() == ["phone unknown"])
        driver.report(offer.item, phone, .accepted)
        driver.register("t1", device: "phone")
        #expect(driver.starts() == ["phone joined"])
    }

    @Test func startThatNeverYieldsATokenIsReportedOnce() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let offer = driver.publishDurably(CoreDriver.start("s")).offers[0]
        driver.report(offer.item, phone, .accepted)
        driver.restart()
        var notices: [Notice] = []
        for _ in 0..<20 { notices += driver.wait(milliseconds: 60_000).notices }
        #expect(notices == [.startOverdue(app: 0, waitedMilliseconds: 900_500)])
        #expect(driver.starts() == ["phone overdue"] && driver.core.owner.counters.startsOverdue == 1)
        driver.register("t1", device: "phone")
        #expect(driver.starts() == ["phone joined"])
    }

    @Test func activityThatFollowsAChannelAwaitsNoToken() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let offer = driver.publishDurably(CoreDriver.start("s", channel: true)).offers[0]
        driver.report(offer.item, phone, .accepted)
        #expect(driver.starts() == ["phone channel"])
        #expect(driver.wait(milliseconds: 3_600_000).notices.isEmpty)
    }

    @Test func dismissedIsNotStartedAgainUntilTheNextInstance() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let offer = driver.publishDurably(CoreDriver.start("s")).offers[0]
        driver.report(offer.item, phone, .accepted)
        driver.register("t1", device: "phone")
        driver.unregister("t1", end: .dismissed)
        driver.commit()
        #expect(driver.starts() == ["phone dismissed"])
        driver.restart()
        #expect(driver.publishDurably(CoreDriver.start("again")).refusals == ["dismissed"])
        driver.wait(milliseconds: 2_000)
        #expect(driver.publishDurably(CoreDriver.event("u")).offers.isEmpty)
        driver.publishDurably(CoreDriver.event("e", .end))
        driver.wait(milliseconds: 2_000)
        driver.wait(milliseconds: 2_000)
        let next = driver.publishDurably(CoreDriver.start("next")).offers
        #expect(next.map(\.destinations) == [[phone]])
        #expect(driver.starts() == ["phone sending"])
    }

    @Test func dismissalIsKeptEvenWhenTheTokenWasDeadBefore() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        driver.publishDurably(CoreDriver.start("s"))
        let input = RegisterInput(
            origin: 1, key: CoreDriver.activity(), destination: CoreDriver.token("gone"), user: CoreDriver.user,
            device: Array("phone".utf8))
        driver.send(.unregister(input, end: .dismissed))
        driver.commit()
        #expect(driver.starts() == ["phone dismissed"])
    }

    @Test func deviceIsStartedOnlySoOftenAnHourAlsoOverARestart() {
        var settings = CoreSettings(apps: ["shop"])
        settings.startsPerDeviceHourMax = 2
        var driver = CoreDriver(settings: settings)
        driver.registerStart("phone", "s1")
        func start(_ driver: inout CoreDriver, _ name: String) -> [NodeEffect] {
            driver.wait(milliseconds: 2_000)
            return driver.publishDurably(CoreDriver.start(name, key: CoreDriver.activity(name)))
        }
        #expect(start(&driver, "a").offers.count == 1)
        #expect(start(&driver, "b").offers.count == 1)
        driver.restart()
        let third = start(&driver, "c")
        #expect(third.offers.isEmpty && third.outcomes == ["c failed"])
        #expect(third.receipts.map(\.outcome.reason) == ["limited"])
        #expect(third.notices.contains(.startLimited(app: 0)))
        driver.wait(milliseconds: 3_600_000)
        #expect(start(&driver, "d").offers.count == 1)
    }

    @Test func startWithoutATokenFailsAtOnceAndSendsTheFallbackWhereThereIsOne() {
        var driver = CoreDriver()
        #expect(
            driver.publishDurably(CoreDriver.start("s", device: "phone")).receipts.map(\.outcome.reason) == [
                "no-start-token"
            ])
        let ordinary = Destination(kind: .ordinaryToken, app: 0, address: [1])
        driver.registerDevice(DeviceTokenInput(origin: 1, name: CoreDriver.name("phone"), destination: ordinary))
        let other = CoreDriver.activity("other")
        let silent = driver.publishDurably(CoreDriver.start("s", device: "phone", key: other))
        #expect(silent.offers.isEmpty)
        let third = CoreDriver.activity("third")
        let offers = driver.publishDurably(CoreDriver.start("s", device: "phone", fallback: true, key: third)).offers
        #expect(offers.map(\.destinations) == [[ordinary]])
        #expect(
            offers.map { String(decoding: $0.item.payload, as: UTF8.self) } == [#"{"aps":{"alert":{"title":"t"}}}"#])
        driver.restart()
        #expect((driver.effects.offers + driver.wait(milliseconds: 5_000).offers).isEmpty)
    }

    @Test func refusedStartSendsTheFallback() {
        var driver = CoreDriver()
        let phone = driver.registerStart("phone", "s1")
        let ordinary = Destination(kind: .ordinaryToken, app: 0, address: [1])
        driver.registerDevice(DeviceTokenInput(origin: 1, name: CoreDriver.name("phone"), destination: ordinary))
        let offer = driver.publishDurably(CoreDriver.start("s", fallback: true)).offers[0]
        let out = driver.report(
            offer.item, phone, .gone(status: 410, reason: "Unregistered", sinceMilliseconds: nil))
        #expect(out.offers.map(\.destinations) == [[ordinary]])
        #expect(driver.starts() == ["phone refused"] && driver.core.owner.deviceTokenCount == 1)
    }

    @Test func endBeforeTheStartHasLeftStartsNothing() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        driver.publishDurably(CoreDriver.event("old"))
        driver.publishDurably(CoreDriver.event("e", .end))
        driver.publishDurably(CoreDriver.start("s"))
        driver.publishDurably(CoreDriver.event("u"))
        driver.publishDurably(CoreDriver.event("f", .end))
        var offers: [(item: PushItem, destinations: [Destination])] = []
        for _ in 0..<10 { offers += driver.wait(milliseconds: 1_000).offers }
        #expect(offers.allSatisfy { $0.item.event != .start })
    }

    @Test func instancesThatNobodyFollowsEndOneAfterTheOther() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        for instance in 1...4 {
            driver.wait(milliseconds: 2_000)
            #expect(driver.publishDurably(CoreDriver.start("s\(instance)", channel: true)).offers.count == 1)
            driver.wait(milliseconds: 2_000)
            driver.publishDurably(CoreDriver.event("e\(instance)", .end))
        }
    }

    @Test func newStartTokenOfADeviceReplacesTheOldOne() {
        var driver = CoreDriver()
        driver.registerStart("phone", "s1")
        let fresh = driver.registerStart("phone", "s2")
        #expect(driver.core.owner.deviceTokenCount == 1)
        driver.restart()
        #expect(driver.publishDurably(CoreDriver.start("s")).offers.map(\.destinations) == [[fresh]])
    }

    @Test func boundsOfUsersAndDevicesAreKept() {
        var driver = CoreDriver()
        for number in 0..<64 { driver.registerStart("d\(number)", "s\(number)") }
        let one = DeviceTokenInput(
            origin: 1, name: CoreDriver.name("more"), destination: CoreDriver.startToken("m"),
            attributesType: CoreDriver.type)
        #expect(driver.registerDevice(one).refusals == ["overloaded"])
        let nameless = DeviceTokenInput(
            origin: 1, name: CoreDriver.name(""), destination: CoreDriver.startToken("m"),
            attributesType: CoreDriver.type)
        #expect(driver.registerDevice(nameless).refusals == ["bad-field"])
    }
}
