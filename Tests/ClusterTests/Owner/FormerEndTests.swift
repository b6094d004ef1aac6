import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// The end of an instance stays until every token of it has been sent it, also over restarts and beside the next
/// instance.
@Suite struct FormerEndTests {
    /// An instance that has ended and whose end has arrived at `t1`; `late` registers, and the next instance begins at
    /// once.
    private func followed() -> CoreDriver {
        var driver = CoreDriver()
        driver.register("t1")
        for (item, destinations) in driver.publishDurably(CoreDriver.event("e", .end)).offers {
            for destination in destinations { driver.report(item, destination, .accepted) }
        }
        driver.register("late")
        #expect(driver.publishDurably(CoreDriver.event("n", instance: 2)).acknowledgements.map(\.instance) == [2])
        return driver
    }

    /// The second instance has ended as well: the late token of the first still waits, and so does one of the second.
    private func endedTwice() -> CoreDriver {
        var driver = followed()
        driver.send(
            .register(
                RegisterInput(
                    origin: driver.origin(), key: CoreDriver.activity(), instance: 2,
                    destination: CoreDriver.token("t2"))))
        driver.commit()
        driver.publishDurably(CoreDriver.event("e2", .end, instance: 2))
        return driver
    }

    /// The offers of the next seconds, by name of the event.
    private func offers(
        _ driver: inout CoreDriver, _ first: [NodeEffect] = []
    ) -> [(item: PushItem, destinations: [Destination])] {
        var all = first.offers + driver.commit().offers
        for _ in 0..<3 { all += driver.wait(milliseconds: 1_000).offers }
        return all
    }

    private func ends(_ offers: [(item: PushItem, destinations: [Destination])]) -> [[Destination]] {
        offers.filter { $0.item.event == .end }.map(\.destinations)
    }

    @Test func lateTokenGetsTheEndBesideTheNextInstance() {
        var driver = followed()
        let out = driver.effects
        #expect(ends(offers(&driver, out)) == [[CoreDriver.token("late")]])
    }

    @Test(arguments: 1...3) func lateTokenGetsTheEndAfterRestarts(count: Int) {
        var driver = followed()
        for _ in 0..<count { driver.restart() }
        let again = offers(&driver, driver.effects)
        #expect(ends(again) == [[CoreDriver.token("late")]])
        #expect(again.allSatisfy { $0.item.quiet || $0.item.event != .end })
        #expect(driver.summary.tokensBehind == 1)
    }

    @Test func endThatArrivedIsNotSentAgain() {
        var driver = followed()
        for (item, destinations) in offers(&driver, driver.effects) where item.event == .end {
            driver.report(item, destinations[0], .accepted)
        }
        #expect(!driver.disk.keys.contains { $0.kind == StoredKind.important.rawValue })
        driver.restart()
        #expect(ends(offers(&driver, driver.effects)).isEmpty)
        #expect(driver.summary.tokensBehind == 0)
    }

    @Test(arguments: [LaneReport.Outcome.stale, .overloaded])
    func endThatCouldNotBeSentGoesAgain(outcome: LaneReport.Outcome) {
        var driver = followed()
        let first = offers(&driver, driver.effects).first { $0.item.event == .end }!
        let again = driver.report(first.item, first.destinations[0], outcome)
        let second = offers(&driver, again)
        #expect(ends(second) == [[CoreDriver.token("late")]])
        let item = second.first { $0.item.event == .end }!.item
        #expect(outcome == .overloaded || item.stampSeconds > first.item.stampSeconds)
    }

    @Test func tokenThatLeavesFreesThePlace() {
        var driver = followed()
        driver.unregister("late")
        driver.commit()
        #expect(!driver.disk.keys.contains { $0.kind == StoredKind.important.rawValue })
    }

    @Test func thirdInstanceWaitsUntilTwoEndsHaveArrived() {
        var driver = endedTwice()
        #expect(driver.publish(CoreDriver.event("m", instance: 3)).refusals == ["overloaded"])
        for _ in 1...2 {
            for (item, destinations) in offers(&driver) where item.event == .end {
                for destination in destinations { driver.report(item, destination, .accepted) }
            }
        }
        #expect(driver.publishDurably(CoreDriver.event("m", instance: 3)).acknowledgements.map(\.instance) == [3])
    }

    @Test func settledEndDoesNotHoldANameForEver() {
        var driver = endedTwice()
        driver.wait(milliseconds: 61_000)
        #expect(driver.publishDurably(CoreDriver.event("m", instance: 3)).acknowledgements.map(\.instance) == [3])
    }
}
