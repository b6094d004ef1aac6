import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// Tokens that come and go.
@Suite struct TokenTests {
    @Test func newTokenGetsTheStateAtOnceAndQuietly() {
        var driver = CoreDriver()
        driver.register("t1")
        driver.publishDurably(CoreDriver.event("goal", rings: true))
        driver.wait(milliseconds: 2_000)
        let offers = driver.register("t2").offers
        #expect(offers.map(\.destinations) == [[CoreDriver.token("t2")]])
        #expect(offers.map(\.item.quiet) == [true])
    }

    @Test func stateForANewTokenHasAFreshStamp() {
        var driver = CoreDriver()
        driver.register("t1")
        let first = driver.publishDurably(CoreDriver.event("a")).offers[0].item
        driver.wait(milliseconds: 60_000)
        let item = driver.register("t2").offers[0].item
        #expect(item.stampSeconds == first.stampSeconds + 60)
        #expect(item.sequence > first.sequence)
    }

    @Test func deadNewcomerDoesNotSettleTheEventOfOthers() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.wait(milliseconds: 2_000)
        let late = driver.register("t2").offers[0]
        let out = driver.report(late.item, late.destinations[0], SettleTests.gone)
        #expect(out.receipts.isEmpty)
        #expect(driver.core.owner.tokenCount == 1)
        #expect(driver.report(item, destinations[0], .accepted).outcomes == ["a apns_accepted"])
    }

    @Test func endGoesToATokenThatComesLate() {
        var driver = CoreDriver()
        driver.register("t1")
        driver.publishDurably(CoreDriver.event("e", .end))
        driver.wait(milliseconds: 2_000)
        #expect(driver.register("t2").offers.map(\.item.event) == [.end])
    }

    @Test func eventThatHasNotLeftGoesToTheNewTokenLikeToAll() {
        var driver = CoreDriver()
        driver.register("t1")
        driver.publishDurably(CoreDriver.event("a"))
        driver.publishDurably(CoreDriver.event("goal", rings: true))
        #expect(driver.register("t2").offers.isEmpty)
        let offers = driver.wait(milliseconds: 1_000).offers
        #expect(offers.map(\.item.quiet) == [false])
        #expect(offers.flatMap(\.destinations).count == 2)
    }

    @Test func registeringIsIdempotent() {
        var driver = CoreDriver()
        driver.publishDurably(CoreDriver.event("a"))
        driver.wait(milliseconds: 2_000)
        #expect(driver.register("t1").replies == [.registered(isNew: true, instance: 1, tokens: 1)])
        driver.wait(milliseconds: 2_000)
        let again = driver.register("t1")
        #expect(again.replies == [.registered(isNew: false, instance: 1, tokens: 1)])
        #expect(again.offers.isEmpty)
        driver.restart()
        driver.commit()
        #expect(driver.register("t1").replies == [.registered(isNew: false, instance: 1, tokens: 1)])
    }

    @Test func registrationWaitsForTheDisk() {
        var driver = CoreDriver()
        let input = RegisterInput(
            origin: 1, key: CoreDriver.activity(), destination: CoreDriver.token("t1"), user: [1], device: [2])
        #expect(driver.send(.register(input)).replies.isEmpty)
        #expect(driver.commit().replies == [.registered(isNew: true, instance: 1, tokens: 1)])
    }

    @Test func tokenThatRegisteredBeforeACrashGetsItsState() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(item, destinations[0], .accepted)
        driver.wait(milliseconds: 2_000)
        driver.register("t2")
        driver.restart()
        #expect(driver.summary.tokens == 2 && driver.summary.tokensBehind == 1 && driver.summary.unsettled == 0)
        let offers = driver.effects.offers + driver.commit().offers
        #expect(offers.map(\.destinations) == [[CoreDriver.token("t2")]])
        driver.report(offers[0].item, CoreDriver.token("t2"), .accepted)
        driver.restart()
        #expect(driver.summary.tokensBehind == 0)
    }

    @Test func tokenMovesToAnotherActivity() {
        var driver = CoreDriver()
        driver.register("t1")
        driver.register("t1", CoreDriver.activity("other"))
        #expect(driver.core.owner.tokenCount == 1)
        #expect(driver.publishDurably(CoreDriver.event("a")).offers.isEmpty)
        #expect(driver.publishDurably(CoreDriver.event("b", CoreDriver.activity("other"))).offers.count == 1)
    }

    @Test func unregisteredTokenGetsNothing() {
        var driver = CoreDriver()
        for token in ["t1", "t2", "t3"] { driver.register(token) }
        driver.unregister("t1")
        let out = driver.commit()
        #expect(out.replies == [.unregistered(wasKnown: true, instance: 1, tokens: 2)])
        driver.unregister("t9")
        let offers = driver.publishDurably(CoreDriver.event("a")).offers
        #expect(Set(offers.flatMap(\.destinations)) == [CoreDriver.token("t2"), CoreDriver.token("t3")])
    }

    @Test func boundsAreKept() {
        var settings = CoreSettings(apps: ["shop"])
        settings.tokensPerActivityMax = 2
        settings.tokensMax = 3
        var driver = CoreDriver(settings: settings)
        driver.register("t1")
        driver.register("t2")
        #expect(driver.register("t3").refusals == ["overloaded"])
        driver.register("t3", CoreDriver.activity("2"))
        #expect(driver.register("t4", CoreDriver.activity("3")).refusals == ["overloaded"])
        #expect(driver.register("t2").replies == [.registered(isNew: false, instance: 1, tokens: 2)])
    }

    @Test func tokenOfTheNextInstanceMayComeBeforeItsFirstEvent() {
        var driver = CoreDriver()
        driver.publishDurably(CoreDriver.event("a"))
        driver.publishDurably(CoreDriver.event("e", .end))
        driver.wait(milliseconds: 2_000)
        func register(_ driver: inout CoreDriver, _ token: String, _ instance: UInt32) -> [NodeEffect] {
            let input = RegisterInput(
                origin: 1, key: CoreDriver.activity(), instance: instance, destination: CoreDriver.token(token))
            return driver.send(.register(input)) + driver.commit()
        }
        #expect(register(&driver, "t2", 2).offers.isEmpty)
        #expect(register(&driver, "t3", 3).refusals == ["ended"])
        driver.wait(milliseconds: 2_000)
        let offers = driver.publishDurably(CoreDriver.event("n", instance: 2)).offers
        #expect(offers.map(\.destinations) == [[CoreDriver.token("t2")]])
        #expect(register(&driver, "t1", 1).refusals == ["ended"])
    }
}
