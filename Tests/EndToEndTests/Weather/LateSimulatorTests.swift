import APNsSimulator
import CLinux
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// APNs is not there when the node starts, and comes later.
    @Suite struct LateSimulatorTests {
        @Test(.timeLimit(.minutes(2))) func theNodeWaitsAndGoesOn() async throws {
            let trial = try Trial(["CARILLON_DELIVERY_STREAM_TIMEOUT_MS": "1000"], startsNode: false)
            defer { trial.end() }
            // It has written its credentials; now it goes.
            let process = try #require(trial.cluster.simulatorProcess)
            try trial.control.stop()
            var status: Int32 = 0
            waitpid(process, &status, 0)
            try trial.cluster.startNode()
            let (client, admin) = (try trial.client(), try trial.client(admin: true))
            let activity = Event.target(activity: "match/1")
            _ = try await client.publish(Event.update(activity, 1))
            await #expect(throws: Refusal.self) { try await trial.createChannel("match/1", admin) }

            let control = try trial.cluster.startSimulator()
            var id = ""
            #expect(
                await eventually(within: 40_000) {
                    id = (try? await trial.createChannel("match/1", admin)) ?? ""
                    return !id.isEmpty
                })
            try control.addDevices(2, app: Trial.bundle, .channel(id), schema: "Score")
            _ = try await client.publish(Event.update(Event.target(channel: "match/1"), 5))
            try control.wait(
                Condition(.channel(id), .field(name: "counter", value: .integer(5)), activitiesMin: 2),
                timeoutMilliseconds: 20_000)
            let text = try #require(
                try control.addDevices(1, app: Trial.bundle, .activityTokens(), schema: "Score").tokens.first)
            try await client.register(Registration(target: activity, token: try #require(PushToken(text))))
            #expect(
                try eventually {
                    try control.device(ofToken: text)["activities"]?[0]?["state"]?["counter"]?.integer == 1
                })
            await client.close()
            await admin.close()
        }
    }
}
