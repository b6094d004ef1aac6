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
    /// Channels are made once, whatever happens on the way.
    @Suite struct ChannelTests {
        @Test(.timeLimit(.minutes(1))) func aChannelIsCreatedOnceListedAndDeleted() async throws {
            let trial = try Trial()
            defer { trial.end() }
            let admin = try trial.client(admin: true)
            let first = try await trial.createChannel("match/1", admin)
            #expect(!first.isEmpty)
            #expect(try await trial.createChannel("match/1", admin) == first)
            _ = try await trial.createChannel("match/2", admin)
            #expect(try await admin.channels(app: Trial.app).map(\.channel) == ["match/1", "match/2"])
            #expect(try trial.control.state().channelCount == 2)

            #expect(trial.cluster.endNode() == .exited(0))
            try trial.cluster.startNode()
            #expect(try await trial.createChannel("match/1", admin) == first, "known after a restart")
            _ = try await admin.channel(ChannelRequest(action: .delete, app: Trial.app, channel: "match/1"))
            #expect(try await admin.channels(app: Trial.app).map(\.channel) == ["match/2"])
            #expect(try trial.control.state().channelCount == 1)
            await admin.close()
        }

        @Test(.timeLimit(.minutes(1))) func aCreationWithoutAnAnswerMakesOneChannel() async throws {
            let trial = try Trial(["CARILLON_DELIVERY_STREAM_TIMEOUT_MS": "500"])
            defer { trial.end() }
            let admin = try trial.client(admin: true) { $0.answerMilliseconds = 3000 }
            _ = try await admin.ping()
            try trial.control.setFaults([.unansweredOneIn(1)])
            _ = try? await trial.createChannel("match/1", admin)
            #expect(try eventually { try trial.control.state().channelCount == 1 })
            try trial.control.setFaults([.clear])
            var id = ""
            #expect(
                await eventually {
                    id = (try? await trial.createChannel("match/1", admin)) ?? ""
                    return !id.isEmpty
                })
            #expect(try trial.control.state().channelCount == 1, "it was adopted, not made again")
            try trial.control.addDevices(1, app: Trial.bundle, .channel(id), schema: "Score")
            let client = try trial.client()
            _ = try await client.publish(Event.update(Event.target(channel: "match/1"), 1))
            try trial.control.wait(
                Condition(.channel(id), .field(name: "counter", value: .integer(1))), timeoutMilliseconds: 10_000)
            await client.close()
            await admin.close()
        }
    }
}
