import APNsSimulator
import CarillonClient
import LiveActivity
import LocalCluster
import SimulatedAPNs
import Testing
import Wire

extension EndToEnd {
    /// The hosts and cables that the fault runs cut.
    @Suite struct NetworkSpacesTests {
        @Test(.timeLimit(.minutes(1)), .enabled(if: NetworkSpaces.areAvailable))
        func aCutNodeIsReachedAndReachesNobodyUntilItIsMended() async throws {
            let spaces = try NetworkSpaces(nodes: 1)
            defer { spaces.end() }
            var options = LocalCluster.Options(program: try Binary.path())
            options.nodes = 1
            options.schemas = Trial.schema
            options.places["n1"] = spaces.place(1)
            options.simulatorPlace = spaces.place(NetworkSpaces.simulator)
            let cluster = try LocalCluster(options)
            defer {
                cluster.stop()
                cluster.remove()
            }
            let control = try cluster.startSimulator()
            try cluster.startNode()
            let settings = try cluster.clientSettings()
            let client = try spaces.atProducer { try CarillonProducer(settings) }
            let target = Event.target(activity: "match/1")
            let token = try #require(
                try control.addDevices(1, app: Trial.bundle, .activityTokens(), schema: "Score").tokens.first)
            try await client.register(Registration(target: target, token: try #require(PushToken(token))))
            _ = try await client.publish(Event.update(target, 1))
            try #require(try eventually { try Self.counter(control, token) == 1 })

            try spaces.part([1], [NetworkSpaces.simulator])
            _ = try await client.publish(Event.update(target, 2))
            #expect(try Self.counter(control, token) == 1)
            try spaces.heal()
            #expect(try eventually(within: 40_000) { try Self.counter(control, token) == 2 })
            await client.close(flushMilliseconds: 0)
        }

        private static func counter(_ control: SimulatorControl, _ token: String) throws -> Int64? {
            try control.device(ofToken: token)["activities"]?[0]?["state"]?["counter"]?.integer
        }
    }
}
