import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

/// Acknowledgements, repeated event IDs, revisions, `get` and `status`.
@Suite struct AnswerTests {
    @Test func acknowledgementWaitsForTheDisk() {
        var driver = CoreDriver()
        #expect(driver.publish(CoreDriver.event("a")).acknowledgements.isEmpty)
        let answer = driver.commit().acknowledgements
        #expect(answer.map(\.version) == [Version(epoch: 1, sequence: 1)])
        #expect(answer.map(\.copies) == [1])
        #expect(answer.map(\.isRepeated) == [false])
    }

    @Test func turnIsOneBatch() {
        var driver = CoreDriver()
        driver.commit()
        var out: [NodeEffect] = []
        for step in 0..<10 {
            driver.core.handle(
                .publish(CoreDriver.event("e\(step)", CoreDriver.activity("k\(step % 2)"))), now: driver.now, into: &out
            )
        }
        driver.core.endTurn(now: driver.now, into: &out)
        let batches = out.compactMap { if case .store(_, let writes, _) = $0 { writes } else { nil } }
        #expect(batches.count == 1)
        #expect(batches[0].count { $0.kind == .record } == 2)
    }

    @Test func repeatedEventGetsTheSameAnswerAndIsNotSentAgain() {
        var driver = CoreDriver()
        driver.register("t1")
        let first = driver.publishDurably(CoreDriver.event("a"))
        let again = driver.publishDurably(CoreDriver.event("a"))
        #expect(again.acknowledgements.map(\.version) == first.acknowledgements.map(\.version))
        #expect(again.acknowledgements.map(\.isRepeated) == [true])
        #expect(driver.wait(milliseconds: 3_000).offers.isEmpty)
    }

    @Test func repeatedEventThatIsNotDurableYetWaitsToo() {
        var driver = CoreDriver()
        driver.publish(CoreDriver.event("a"))
        #expect(driver.publish(CoreDriver.event("a")).acknowledgements.isEmpty)
        #expect(driver.commit().acknowledgements.count == 2)
    }

    @Test func repeatedEventIsKnownAfterARestartAndWithItsOutcome() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        driver.report(item, destinations[0], .accepted)
        driver.restart()
        driver.commit()
        let again = driver.publishDurably(CoreDriver.event("a"))
        #expect(again.acknowledgements.map(\.isRepeated) == [true])
        #expect(again.acknowledgements.map(\.outcome) == [.apnsAccepted])
        #expect(driver.wait(milliseconds: 3_000).offers.isEmpty)
    }

    @Test func sixteenEventsAreRemembered() {
        var driver = CoreDriver()
        for step in 0..<17 { driver.publishDurably(CoreDriver.event("e\(step)")) }
        #expect(driver.publishDurably(CoreDriver.event("e1")).acknowledgements.map(\.isRepeated) == [true])
        #expect(driver.publishDurably(CoreDriver.event("e0")).acknowledgements.map(\.isRepeated) == [false])
    }

    @Test func lowerRevisionIsSuperseded() {
        var driver = CoreDriver()
        driver.publishDurably(CoreDriver.event("a", revision: 7))
        #expect(driver.publish(CoreDriver.event("b", revision: 6)).refusals == ["superseded"])
        #expect(driver.publishDurably(CoreDriver.event("c", revision: 7)).acknowledgements.count == 1)
        // An event without a revision does not lower the bar.
        #expect(driver.publishDurably(CoreDriver.event("d")).acknowledgements.count == 1)
        #expect(driver.publish(CoreDriver.event("e", revision: 6)).refusals == ["superseded"])
        driver.restart()
        driver.commit()
        #expect(driver.publish(CoreDriver.event("f", revision: 6)).refusals == ["superseded"])
    }

    @Test func nextInstanceBeginsItsRevisionsAnew() {
        var driver = CoreDriver()
        driver.publishDurably(CoreDriver.event("a", revision: 7))
        driver.publishDurably(CoreDriver.event("e", .end, revision: 8))
        #expect(driver.publishDurably(CoreDriver.event("n", instance: 2, revision: 1)).acknowledgements.count == 1)
    }

    @Test func unknownAppAndChannelAreRefused() {
        var driver = CoreDriver()
        var event = CoreDriver.event("a")
        event.app = 9
        #expect(driver.publish(event).refusals == ["unknown-app"])
        #expect(driver.publish(CoreDriver.event("a", CoreDriver.channel())).refusals == ["unknown-channel"])
        #expect(driver.core.owner.counters.refused == 2)
    }

    @Test func getServesTheMostRecentMessage() {
        var driver = CoreDriver()
        let get = CoreInput.get(origin: 1, key: CoreDriver.activity(), instance: nil)
        #expect(driver.send(get).refusals == ["unknown-key"])
        driver.publish(CoreDriver.event("a"))
        #expect(driver.send(get).replies.isEmpty)
        driver.commit()
        guard case .state(let state)? = driver.send(get).replies.first else { return #expect(Bool(false)) }
        #expect(state.record.payload == Array("{a}".utf8))
        #expect(state.record.state == .live)
        #expect(state.key.instance == 1)
        #expect(driver.send(.get(origin: 1, key: CoreDriver.activity(), instance: 2)).refusals == ["unknown-key"])
    }

    @Test func statusFollowsTheEvent() {
        var driver = CoreDriver()
        driver.register("t1")
        let (item, destinations) = driver.publishDurably(CoreDriver.event("a")).offers[0]
        func outcome(_ driver: inout CoreDriver, key: Bool = true) -> EventOutcome? {
            let key = key ? CoreDriver.activity() : nil
            guard
                case .status(let answer)? =
                    driver.send(.status(origin: 1, eventID: Array("a".utf8), key: key)).replies.first
            else { return nil }
            return answer.outcome
        }
        #expect(outcome(&driver) == .accepted)
        let receipts = driver.report(item, destinations[0], .deferred(reason: "TooManyRequests")).receipts
        #expect(receipts.map(\.outcome) == [.deferred])
        #expect(driver.report(item, destinations[0], .deferred(reason: "again")).receipts.isEmpty)
        #expect(outcome(&driver) == .deferred)
        driver.report(item, destinations[0], .failed(status: 400, reason: "PayloadEmpty"))
        #expect(outcome(&driver, key: false) == .failed(reason: "PayloadEmpty"))
        driver.restart()
        driver.commit()
        #expect(outcome(&driver) == .failed(reason: "PayloadEmpty"))
        #expect(driver.send(.status(origin: 1, eventID: [7], key: nil)).refusals == ["unknown-key"])
    }
}
