import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Loops
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// Repetitions, revisions, ends: what a producer may rely on about the order of its events.
    @Suite struct OrderTests {
        private func refusal(_ client: CarillonProducer, _ event: Publish) async -> Code? {
            do throws(Refusal) {
                _ = try await client.publish(event)
                return nil
            } catch { return error.fault.code }
        }

        @Test(.timeLimit(.minutes(1))) func aRepeatedEventIsAnsweredAndNotSentAgainAlsoAfterARestart() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let id = try await trial.createChannel("match/1", admin)
            try trial.control.addDevices(2, app: Trial.bundle, .channel(id), schema: "Score")
            let target = Event.target(channel: "match/1")
            let first = try await client.publish(Event.update(target, 1, alert: true))
            #expect(!first.repeated)
            #expect(
                try await eventually {
                    try await client.status(target, id: Event.id("e1")).outcome == .apnsAccepted
                })
            let accepted = try trial.control.channel(id).accepted
            #expect(accepted == 1)
            let again = try await client.publish(Event.update(target, 1, alert: true))
            #expect(again.repeated && again.version == first.version && again.instance == first.instance)

            #expect(trial.cluster.endNode() == .exited(0))
            try trial.cluster.startNode()
            let later = try await client.publish(Event.update(target, 1, alert: true))
            #expect(later.repeated && later.version == first.version)
            let next = try await client.publish(Event.update(target, 2))
            #expect(!next.repeated && next.version > first.version)
            try trial.control.wait(
                Condition(.channel(id), .field(name: "counter", value: .integer(2)), activitiesMin: 2),
                timeoutMilliseconds: 10_000)
            #expect(try trial.control.channel(id).accepted == 2)
            #expect(try trial.control.state().counter("rings") == 2)
            await client.close()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func aLowerRevisionIsSuperseded() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            _ = try await trial.createChannel("match/1", admin)
            let target = Event.target(channel: "match/1")
            func event(_ counter: Int, _ revision: Int64?) -> Publish {
                var event = Event.update(target, counter)
                event.revision = revision
                return event
            }
            _ = try await client.publish(event(1, 5))
            #expect(await refusal(client, event(2, 4)) == .superseded)
            #expect(await refusal(client, event(3, 5)) == nil)
            #expect(await refusal(client, event(4, nil)) == nil)
            #expect(await refusal(client, event(5, 4)) == .superseded, "an event without a revision lowers none")
            let state = try await client.get(target)
            #expect(state.id == Event.id("e4"))
            await client.close()
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func anEndIsFinalAndTheNextInstanceIsNew() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let id = try await trial.createChannel("match/1", admin)
            try trial.control.addDevices(2, app: Trial.bundle, .channel(id), schema: "Score")
            let target = Event.target(channel: "match/1")
            _ = try await client.publish(Event.update(target, 1))
            let end = try await client.publish(Event.update(target, 2, event: .end))
            #expect(end.instance == 1)
            #expect(await refusal(client, Event.update(target, 3)) == .ended)
            try trial.control.wait(Condition(.channel(id), .ended, activitiesMin: 2), timeoutMilliseconds: 10_000)

            #expect(trial.cluster.endNode() == .exited(0))
            try trial.cluster.startNode()
            #expect(await refusal(client, Event.update(target, 4)) == .ended, "also after a restart")
            let second = Event.target(channel: "match/1", instance: 2)
            let next = try await client.publish(Event.update(second, 5))
            #expect(next.instance == 2 && next.version > end.version)
            #expect(await refusal(client, Event.update(Event.target(channel: "match/1", instance: 1), 6)) == .ended)
            let state = try trial.control.state()
            #expect(state.counter("went_back") == 0)
            await client.close()
            await admin.close()
        }
    }
}
