import APNsSimulator
import CLinux
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Loops
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// A node that is asked to stop says so, loses nothing and ends well.
    @Suite struct DrainTests {
        private func startedCluster(channels count: Int) async throws -> (Trial, [String]) {
            let trial = try Trial(["CARILLON_BUDGET_CHANNEL_STORED_PER_SECOND": "10"])
            do {
                let admin = try trial.client(admin: true)
                var ids: [String] = []
                for number in 0..<count {
                    let id = try await trial.createChannel("match/\(number)", admin)
                    try trial.control.addDevices(3, app: Trial.bundle, .channel(id), schema: "Score")
                    ids.append(id)
                }
                await admin.close()
                return (trial, ids)
            } catch {
                trial.end()
                throw error
            }
        }

        @Test(.timeLimit(.minutes(2))) func whatWasAcknowledgedGoesOnAfterTheNextStart() async throws {
            let (trial, ids) = try await startedCluster(channels: 10)
            defer { trial.end() }
            let ledger = Ledger(keys: ids.count)
            var settings = try trial.cluster.clientSettings()
            settings.answerMilliseconds = 60_000
            let client = try CarillonProducer(settings) { ledger.take($0) }
            for _ in 0..<100 { try publishRound(ids.count, ledger, client) }
            try #require(eventually { ledger.acks > 100 })
            #expect(trial.cluster.endNode() == .exited(0))
            #expect(trial.log.count("node stopped") == 1)
            for _ in 0..<10 { try publishRound(ids.count, ledger, client) }
            try trial.cluster.startNode()
            try #require(eventually(within: 40_000) { ledger.isSettled })
            let final = ledger.current
            #expect(final.acknowledged == final.handed)
            for (key, id) in ids.enumerated() {
                let newest = Condition.Demand.field(name: "counter", value: .integer(Int64(final.handed[key])))
                try trial.control.wait(Condition(.channel(id), newest, activitiesMin: 3), timeoutMilliseconds: 20_000)
            }
            let state = try trial.control.state()
            #expect(state.counter("went_back") == 0 && state.counter("rang_twice") == 0)
            await client.close()
        }

        private func publishRound(_ keys: Int, _ ledger: Ledger, _ client: CarillonProducer) throws {
            let batch = (0..<keys).map { key in
                let counter = ledger.next(key)
                let event = Event.update(Event.target(channel: "match/\(key)"), counter, alert: counter % 20 == 0)
                return (tag: Ledger.tag(key, counter), event: event)
            }
            try #require(client.submit(batch))
        }

        @Test(.timeLimit(.minutes(1))) func producersAreToldAndNewEventsRefused() async throws {
            // Answers that take two seconds hold the node in its drain for so long.
            let trial = try Trial(["CARILLON_SIMULATOR_ANSWER_DELAY_MS": "50"])
            defer { trial.end() }
            let admin = try trial.client(admin: true)
            _ = try await trial.createChannel("match/1", admin)
            await admin.close()
            try trial.control.setFaults([.delayMilliseconds(2000)])
            let raw = try RawProducer(trial)
            try #require(raw.open() != nil)
            let target = Event.target(channel: "match/1")
            var first = Event.update(target, 1)
            first.sequence = 10
            raw.send(.publish(first))
            guard case .ack = raw.receive() else {
                Issue.record("no ack")
                return
            }
            try #require(eventually { try trial.control.state().counter("requests") > 1 })
            let process = try #require(trial.cluster.nodeProcess)
            _ = kill(process, SIGTERM)
            guard case .goAway(let goAway) = raw.receive() else {
                Issue.record("no goaway")
                return
            }
            #expect(!goAway.reason.isEmpty)
            // Events are taken until nobody can be found to take the shards over.
            var counter = 1
            #expect(
                eventually {
                    counter += 1
                    var next = Event.update(target, counter)
                    next.sequence = Int64(9 + counter)
                    raw.send(.publish(next))
                    return raw.refusal() == .draining
                })
            var ending: ChildProcess.Ending?
            #expect(
                eventually {
                    ending = trial.cluster.nodeEnding()
                    return ending != nil
                })
            #expect(ending == .exited(0))
        }
    }
}
