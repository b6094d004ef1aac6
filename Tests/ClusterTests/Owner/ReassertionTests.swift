import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// What a new owner sends again because the former one may have put an older message behind the newest.
@Suite struct ReassertionTests {
    private let key = CoreDriver.activity()

    /// Everything is settled; then the shard goes and comes back.
    private func moved(
        _ event: PublishInput, after milliseconds: Int64, isReassertion: Bool = true, mutant: Mutant? = nil
    ) -> (offers: [(item: PushItem, destinations: [Destination])], first: PushItem, driver: OwnerDriver) {
        var settings = CoreSettings(apps: ["shop"])
        settings.mutant = mutant
        var driver = OwnerDriver(settings: settings)
        driver.adopt([driver.shard(key)])
        driver.register("t1", key)
        driver.commitAll()
        driver.publish(event)
        let offer = driver.commitAll().offers[0]
        driver.report(offer, .accepted)
        driver.commitAll()
        driver.relinquish([driver.shard(key)])
        driver.now = driver.now.advanced(byMilliseconds: milliseconds)
        var out = driver.adopt([driver.shard(key)], epoch: 2, isReassertion: isReassertion)
        out += driver.commitAll() + driver.wait(milliseconds: 2_000) + driver.commitAll()
        return (out.offers, offer.item, driver)
    }

    @Test func freshOneKeepsItsStampAndIsQuiet() {
        let (offers, first, driver) = moved(CoreDriver.event("goal", key, rings: true), after: 5_000)
        #expect(offers.map(\.item.eventName) == ["goal"])
        #expect(offers[0].item.quiet && !first.quiet)
        #expect(offers[0].item.stampSeconds == first.stampSeconds)
        #expect(driver.summary.reasserted == 1 && driver.summary.unsettled == 0)
    }

    @Test func olderOneGetsAFreshStampOnCopiesFirst() {
        var (offers, first, driver) = moved(CoreDriver.event("goal", key, rings: true), after: 30_000)
        #expect(offers.map(\.item.quiet) == [true])
        #expect(offers[0].item.stampSeconds == driver.now.wallMilliseconds / 1000 - 2)
        #expect(offers[0].item.sequence > first.sequence)
        // The event stays settled for its producer.
        driver.report(offers[0], .accepted)
        driver.commitAll()
        #expect(driver.publish(CoreDriver.event("goal", key)).acknowledgements.map(\.outcome) == [.apnsAccepted])
    }

    /// A settled end goes to all again; before its lane comes to it, the next instance begins and the stamp is too old.
    /// A token that registered late has nothing else to show.
    @Test func anEndThatItsLaneFoundTooOldGoesAgainBesideTheNextInstance() {
        var driver = OwnerDriver(settings: CoreSettings(apps: ["shop"]))
        driver.adopt([driver.shard(key)])
        driver.register("t1", key)
        driver.commitAll()
        driver.publish(CoreDriver.event("e", key, .end))
        driver.report(driver.commitAll().offers[0], .accepted)
        driver.register("late", key)
        driver.commitAll()
        driver.relinquish([driver.shard(key)])
        var out = driver.adopt([driver.shard(key)], epoch: 2, isReassertion: true)
        out += driver.commitAll() + driver.wait(milliseconds: 2_000) + driver.commitAll()
        let end = out.offers.first { $0.item.event == .end }
        #expect(end?.destinations.count == 2)
        driver.publish(CoreDriver.event("n", key, instance: 2))
        driver.commitAll()
        driver.now = driver.now.advanced(byMilliseconds: 10_000)
        for destination in end?.destinations ?? [] {
            driver.report((end!.item, [destination]), .stale)
        }
        let again = (driver.commitAll() + driver.wait(milliseconds: 2_000) + driver.commitAll()).offers
            .filter { $0.item.event == .end }
        #expect(again.map(\.destinations) == [[CoreDriver.token("late")]])
        #expect(again.allSatisfy { $0.item.stampSeconds > end!.item.stampSeconds })
    }

    /// Devices may show what was lost: nothing that is left goes out, not even to a token that registers or from a
    /// later owner, until there is a new event.
    @Test func whatIsLeftOfALostShardIsNotSentAgain() {
        var driver = OwnerDriver(settings: CoreSettings(apps: ["shop"]))
        driver.adopt([driver.shard(key)])
        driver.register("t1", key)
        driver.commitAll()
        driver.publish(CoreDriver.event("goal", key))
        driver.commitAll()
        driver.relinquish([driver.shard(key)])
        driver.now = driver.now.advanced(byMilliseconds: 30_000)
        var out = driver.adopt([driver.shard(key)], epoch: 2, isReassertion: true, isPartial: true)
        out += driver.commitAll()
        out += driver.register("t2", key) + driver.commitAll() + driver.wait(milliseconds: 2_000) + driver.commitAll()
        driver.relinquish([driver.shard(key)])
        out += driver.adopt([driver.shard(key)], epoch: 3, isReassertion: true)
        out += driver.commitAll() + driver.wait(milliseconds: 2_000) + driver.commitAll()
        #expect(out.offers.isEmpty)
        driver.publish(CoreDriver.event("next", key))
        let offers = driver.commitAll().offers
        #expect(offers.map(\.item.eventName) == ["next"])
        #expect(offers.first?.destinations.count == 2)
    }

    @Test func onlyTheLastMinuteIsSentAgain() {
        #expect(moved(CoreDriver.event("a", key), after: 60_000).offers.count == 1)
        #expect(moved(CoreDriver.event("a", key), after: 61_001).offers.isEmpty)
    }

    @Test func restartSendsNothingSettledAgain() {
        #expect(moved(CoreDriver.event("a", key), after: 5_000, isReassertion: false).offers.isEmpty)
    }

    @Test func endIsSentAgainAndTheExpiredIsNot() {
        #expect(moved(CoreDriver.event("e", key, .end), after: 5_000).offers.map(\.item.event) == [.end])
        let expiry = CoreDriver.start + 3_000
        #expect(moved(CoreDriver.event("a", key, expiresAt: expiry), after: 5_000).offers.isEmpty)
    }

    @Test func reassertionIsQuietWhereTheAlertMayHaveBeenHeard() {
        // Not settled, so it goes again in any case.
        var driver = OwnerDriver()
        driver.adopt([driver.shard(key)])
        driver.register("t1", key)
        driver.commitAll()
        driver.publish(CoreDriver.event("goal", key, rings: true))
        driver.commitAll()
        driver.relinquish([driver.shard(key)])
        let out = driver.adopt([driver.shard(key)], epoch: 2, isReassertion: true) + driver.commitAll()
        #expect((out + driver.wait(milliseconds: 1_000)).offers.map(\.item.quiet) == [true])
        #expect(driver.summary.quieted == 1 && driver.summary.reasserted == 0)
    }

    @Test func startIsNotSentAgain() {
        var driver = OwnerDriver()
        driver.adopt([driver.shard(key), Shard.registry])
        driver.send(
            .registerDevice(
                DeviceTokenInput(
                    origin: 1, name: CoreDriver.name("phone"), destination: CoreDriver.startToken("s1"),
                    attributesType: CoreDriver.type)))
        driver.commitAll()
        driver.publish(CoreDriver.start("s"))
        let offers = driver.commitAll().offers
        #expect(offers.count == 1)
        driver.report(offers[0], .accepted)
        driver.commitAll()
        driver.relinquish([driver.shard(key)])
        let out = driver.adopt([driver.shard(key)], epoch: 2, isReassertion: true) + driver.commitAll()
        #expect((out + driver.wait(milliseconds: 2_000) + driver.commitAll()).offers.isEmpty)
        #expect(driver.summary.starts == 1)
    }

    @Test func channelWhoseLaneFoundItTooOldGetsItAgain() {
        let channel = CoreDriver.channel()
        var driver = OwnerDriver()
        driver.makeChannel(channel)
        driver.adopt([driver.shard(channel)])
        driver.publish(CoreDriver.event("a", channel))
        driver.report(driver.commitAll().offers[0], .accepted)
        driver.commitAll()
        driver.relinquish([driver.shard(channel)])
        let out = driver.adopt([driver.shard(channel)], epoch: 2, isReassertion: true) + driver.commitAll()
        let offer = (out + driver.wait(milliseconds: 1_000)).offers[0]
        driver.now = driver.now.advanced(byMilliseconds: 15_000)
        let again = driver.report(offer, .stale) + driver.commitAll() + driver.wait(milliseconds: 1_000)
        #expect(again.offered == ["a"])
        #expect(again.offers[0].item.stampSeconds > offer.item.stampSeconds && again.offers[0].item.quiet)
    }

    // MARK: Known faults

    @Test func faultsCanBeSwitchedOn() {
        let goal = CoreDriver.event("goal", key, rings: true)
        #expect(moved(goal, after: 5_000, mutant: .noReassertion).offers.isEmpty)
        #expect(moved(goal, after: 5_000, mutant: .reassertionRings).offers.map(\.item.quiet) == [false])
        let (offers, first, _) = moved(goal, after: 30_000, mutant: .staleStampSent)
        #expect(offers.map(\.item.stampSeconds) == [first.stampSeconds])
    }
}
