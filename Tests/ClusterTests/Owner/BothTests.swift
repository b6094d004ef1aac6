import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// One event for a channel and an activity.
@Suite struct BothTests {
    private func publish(_ driver: inout CoreDriver, _ id: String) -> [NodeEffect] {
        var channel = CoreDriver.event(id, CoreDriver.channel())
        var activity = CoreDriver.event(id)
        channel.origin = driver.origin()
        activity.origin = channel.origin
        return driver.send(.publishToBoth(channel: channel, activity: activity))
    }

    private func halves(_ effects: [NodeEffect]) -> [(Acknowledgement, Acknowledgement)] {
        effects.replies.compactMap {
            if case .acknowledgedBoth(let channel, let activity) = $0 { (channel, activity) } else { nil }
        }
    }

    @Test func bothTakeItAndOneAnswerNamesBoth() {
        var driver = CoreDriver()
        driver.makeChannel()
        driver.register("t1")
        #expect(publish(&driver, "goal").replies.isEmpty, "nothing is acknowledged before it is durable")
        let out = driver.commit()
        #expect(halves(out).count == 1 && out.replies.count == 1)
        #expect(Set(out.offers.flatMap(\.destinations).map(\.kind)) == [.channel, .token])
        var receipts: [Receipt] = []
        for offer in out.offers { receipts += driver.report(offer.item, offer.destinations[0], .accepted).receipts }
        #expect(Set(receipts.map(\.key.kind)) == [.channel, .activity])
        let again = publish(&driver, "goal")
        #expect(halves(again).map { [$0.0.isRepeated, $0.1.isRepeated] } == [[true, true]])
    }

    @Test func neitherTakesItWhenOneRefuses() {
        var driver = CoreDriver()
        let refused = publish(&driver, "a")
        #expect(refused.refusals == ["unknown-channel"])
        #expect(driver.core.owner.keyCount == 0)
        driver.makeChannel()
        driver.publishDurably(CoreDriver.event("x"))
        driver.publishDurably(CoreDriver.event("e", .end))
        #expect(publish(&driver, "b").refusals == ["ended"])
        let out = driver.send(.status(origin: 1, eventID: Array("b".utf8), key: CoreDriver.channel()))
        #expect(out.refusals == ["unknown-key"])
    }

    @Test func halfThatIsKnownIsNotTakenAgain() {
        var driver = CoreDriver()
        driver.makeChannel()
        driver.publishDurably(CoreDriver.event("a", CoreDriver.channel()))
        let out = publish(&driver, "a") + driver.commit()
        #expect(halves(out).map { [$0.0.isRepeated, $0.1.isRepeated] } == [[true, false]])
    }
}
