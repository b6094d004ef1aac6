import APNsSimulator
import CarillonClient
import Codes
import Configuration
import LiveActivity
import Loops
import Messaging
import SimulatedAPNs
import Testing
import Wire

@testable import Node

/// Three nodes with real sockets, certificates, disks and TLS.
@Suite(.serialized) struct ClusterTests {
    private static let keys = 24

    private func event(_ target: Target, _ id: String, _ counter: Int, activity: Target? = nil) throws -> Publish {
        Publish(
            target: target, id: try #require(EventID(id)),
            payload: Array(#"{"aps":{"event":"update","content-state":{"counter":\#(counter)}}}"#.utf8),
            activity: activity)
    }

    private func order(_ number: Int) throws -> Target {
        try #require(Target(app: "cricket", kind: .activity, name: "match/order/\(number)"))
    }

    @Test(.timeLimit(.minutes(4))) func anyNodeTakesAnythingAndTwoServeOn() async throws {
        let trio = try NodeTrio()
        defer { trio.end() }
        for name in NodeTrio.names { try trio.start(name) }
        #expect(try await trio.waitUntilHealthy())
        try await measurePings(trio)
        try await publishEverywhere(trio)
        try await reachADevice(trio)

        trio.cut("n3")
        let client = try trio.client(.producer, "scores", at: "n1")
        for number in 0..<Self.keys {
            let ack = try await persist(client, try event(order(number), "a\(number)", 1))
            #expect(ack.repeated, "what was acknowledged is known: \(number)")
            let next = try await persist(client, try event(order(number), "b\(number)", 2))
            #expect(!next.repeated && next.copies == 2)
        }
        await client.close()
        try await refuseAnImpostor(trio)
    }

    /// A node that stops gives its keys away before it goes: nobody waits for the end of its lease.
    @Test(.timeLimit(.minutes(4))) func whoStopsHandsOver() async throws {
        let trio = try NodeTrio()
        defer { trio.end() }
        for name in NodeTrio.names { try trio.start(name) }
        #expect(try await trio.waitUntilHealthy())
        let client = try trio.client(.producer, "scores", at: "n1")
        for number in 0..<Self.keys { _ = try await client.publish(try event(order(number), "a\(number)", 1)) }
        trio.stop("n2")
        let admin = try trio.client(.admin, "ops", at: "n1")
        let document = try await status(admin)
        #expect(document["members"]?.array?.first { $0["name"]?.string == "n2" }?["state"]?.string == "left")
        for number in 0..<Self.keys {
            let ack = try await persist(client, try event(order(number), "a\(number)", 1))
            #expect(ack.repeated)
        }
        try trio.start("n2")
        #expect(try await trio.waitUntilHealthy())
        await client.close()
        await admin.close()
    }

    /// Nodes that are well answer each other's pings, and say how soon.
    private func measurePings(_ trio: NodeTrio) async throws {
        let admin = try trio.client(.admin, "ops", at: "n1")
        let deadline = Clock.bootMilliseconds() + 30_000
        var pings: JSONValue?
        repeat {
            pings = try await status(admin)["mesh"]?["pings"]
        } while pings?["answered"]?.integer ?? 0 == 0 && Clock.bootMilliseconds() < deadline
        let counted = (pings?["counts"]?.array ?? []).reduce(0) { $0 + ($1[1]?.integer ?? 0) }
        #expect(counted > 0 && counted == pings?["answered"]?.integer)
        #expect(pings?["max_us"]?.integer ?? 0 > 0)
        await admin.close()
    }

    /// Every node takes events for the keys of all, and tells what any node took.
    private func publishEverywhere(_ trio: NodeTrio) async throws {
        var clients: [CarillonProducer] = []
        for name in NodeTrio.names { clients.append(try trio.client(.producer, "scores", at: name)) }
        for number in 0..<Self.keys {
            let ack = try await clients[number % 3].publish(try event(order(number), "a\(number)", 1))
            #expect(ack.copies == 2 && !ack.repeated)
        }
        for number in 0..<Self.keys {
            let other = clients[(number + 1) % 3]
            #expect(try await other.get(try order(number)).id == EventID("a\(number)"))
            #expect(try await other.publish(try event(order(number), "a\(number)", 1)).repeated)
        }
        for client in clients { await client.close() }
    }

    /// One event for a channel and for activities with owners of all kinds.
    private func reachADevice(_ trio: NodeTrio) async throws {
        let client = try trio.client(.producer, "scores", at: "n2")
        let create = ChannelRequest(action: .create, app: "cricket", channel: "match/1")
        let id = try #require(try await client.channel(create).channels.first?.channelID)
        try trio.control.addDevices(2, app: "com.example.cricket", .channel(id), schema: "Score")
        let channel = try #require(Target(app: "cricket", kind: .channel, name: "match/1"))
        for number in 0..<6 {
            let both = try event(channel, "c\(number)", number, activity: try order(number))
            let ack = try await client.publish(both)
            #expect(ack.activity != nil && ack.copies == 2)
            let again = try await client.publish(both)
            #expect(again.repeated && again.activity?.repeated == true)
        }
        let newest = Condition.Demand.field(name: "counter", value: .integer(5))
        try trio.control.wait(Condition(.channel(id), newest, activitiesMin: 2), timeoutMilliseconds: 30_000)
        #expect(try trio.control.state().counter("went_back") == 0)
        await client.close()
    }

    /// Repeats what is refused while shards move.
    private func persist(_ client: CarillonProducer, _ event: Publish) async throws -> Ack {
        let deadline = Clock.bootMilliseconds() + 60_000
        while true {
            do throws(CarillonClient.Refusal) {
                return try await client.publish(event)
            } catch {
                guard error.fault.code.retryable, Clock.bootMilliseconds() < deadline else { throw error }
            }
            await Task.yield()
        }
    }

    private func status(_ admin: CarillonProducer) async throws -> JSONValue {
        let bytes = try await admin.nodeStatus()
        return try JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20))
    }

    /// The certificate of n3, in wrong hands, says that it is n2.
    private func refuseAnImpostor(_ trio: NodeTrio) async throws {
        let admin = try trio.client(.admin, "ops", at: "n1")
        let document = try await status(admin)
        let member = try #require(document["members"]?.array?.first { $0["name"]?.string == "n2" })
        let sender = try #require(member["id"]?.string.flatMap { NodeID(hexadecimal: $0) })
        let cluster = try #require(document["cluster"]?["identity"]?.string.flatMap { NodeID(hexadecimal: $0) })
        let context = MessagingContext()
        let nodes = try AllowList(directories: [trio.settings.keys.directory(of: .node)])
        let port = try MeshPort(
            context: context,
            settings: MeshSettings(
                control: "tcp://127.0.0.1:*", data: "tcp://127.0.0.1:*", identity: [1],
                security: .init(certificate: try trio.certificate(.node, "n3"), allowList: nodes)))
        defer { port.close() }
        let control = try #require(trio.settings.node("n1")?.control)
        try port.connect("n1", control: control, data: nil, now: Clock.bootMilliseconds())
        let header = MeshHeader(cluster: cluster, sender: sender, generation: UInt64(Int64.max))
        let vote = ControlMessage.consensus(.transfer(term: 1_000_000))
        let deadline = Clock.bootMilliseconds() + 30_000
        var seen: Int64 = 0
        var term: Int64 = 0
        while seen == 0, Clock.bootMilliseconds() < deadline {
            port.maintain(now: Clock.bootMilliseconds())
            port.sendControl(MeshFrame.encode(vote, header), to: "n1")
            let now = try await status(admin)
            seen = now["mesh"]?["impostors"]?.integer ?? 0
            term = now["cluster"]?["term"]?.integer ?? 0
        }
        #expect(seen > 0 && term < 1_000_000)
        await admin.close()
    }
}

extension NodeID {
    /// Reads what `description` writes.
    fileprivate init?(hexadecimal text: String) {
        guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
            let low = UInt64(text.suffix(16), radix: 16)
        else { return nil }
        self.init(high: high, low: low)
    }
}
