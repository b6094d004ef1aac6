import APNsSimulator
import CarillonClient
import Codes
import Configuration
import LiveActivity
import Loops
import SimulatedAPNs
import Testing
import Wire

@testable import Node

/// The whole way of an event inside one process.
@Suite(.serialized) struct SmokeTests {
    /// Waits until the node serves what it has found.
    private func recovery(of node: CarillonNode) async throws -> RecoveryReport {
        let deadline = Clock.bootMilliseconds() + 20_000
        while Clock.bootMilliseconds() < deadline {
            if let report = node.recovery() { return report }
            await Task.yield()
        }
        return try #require(node.recovery(), "nothing is served yet")
    }

    private func event(_ target: Target, _ counter: Int) throws -> Publish {
        Publish(
            target: target, id: try #require(EventID("e\(counter)")),
            payload: Array(#"{"aps":{"event":"update","content-state":{"counter":\#(counter)}}}"#.utf8))
    }

    @Test(.timeLimit(.minutes(1))) func anEventReachesADeviceAndSurvivesAStop() async throws {
        let world = try InProcessNode()
        defer { world.end() }
        let first = try world.start()
        #expect(try await recovery(of: first).records == 0)
        let client = try world.client()
        let create = ChannelRequest(action: .create, app: "cricket", channel: "match/1")
        let id = try #require(try await client.channel(create).channels.first?.channelID)
        try world.control.addDevices(3, app: "com.example.cricket", .channel(id), schema: "Score")
        let target = try #require(Target(app: "cricket", kind: .channel, name: "match/1"))
        for counter in 1...5 { _ = try await client.publish(try event(target, counter)) }
        let newest = Condition.Demand.field(name: "counter", value: .integer(5))
        try world.control.wait(Condition(.channel(id), newest, activitiesMin: 3), timeoutMilliseconds: 20_000)
        await client.close()

        world.stop()
        let node = try world.start()
        let found = try await recovery(of: node)
        #expect(found.records == 1 && found.channels == 1 && found.unsettled == 0)
        let second = try world.client()
        #expect(try await second.get(target).id == EventID("e5"))
        #expect(try await second.publish(try event(target, 5)).repeated)
        await second.close()
        #expect(try world.control.state().counter("went_back") == 0)
    }

    @Test func anUnknownNodeOrAUsedDirectoryIsAFault() throws {
        let world = try InProcessNode()
        defer { world.end() }
        let node = try world.start()
        #expect(throws: Fault.self) { try world.start() }
        #expect(world.node === node)
        var settings = world.settings
        settings.nodes = []
        #expect(settings.node("n1") == nil)
    }
}
