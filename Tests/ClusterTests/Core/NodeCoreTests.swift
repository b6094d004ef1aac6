import Codes
import Delivery
import LiveActivity
import Testing
import Wire

@testable import Cluster

@Suite struct NodeCoreTests {
    private func event(_ origin: UInt64, _ key: Key, _ id: String, _ event: EventKind = .update) -> NodeInput {
        let payload = Array(#"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#.utf8)
        return .request(
            .publish(
                PublishInput(
                    origin: origin, producer: Array("scores".utf8), app: 0, key: key, instance: nil,
                    eventID: Array(id.utf8), event: event, important: false, priority: 5, revision: nil,
                    notBeforeMilliseconds: nil, expiresAtMilliseconds: nil, audience: nil, payload: payload,
                    layout: PayloadLayout(
                        stampOffset: 20, stampLength: 1, stampInsertion: .replace, alertOffset: 0, alertLength: 0))))
    }

    private func key(_ number: Int) -> Key { Key(app: "cricket", kind: .activity, name: "order/\(number)")! }

    @Test func aClusterOfOneServesAtOnce() throws {
        var net = NodeNet(["n1"])
        #expect(net.until(2000) { $0.isWhole }, "\(net.notices.suffix(20))")
        let key = key(1)
        #expect(net.owner(of: key) == "n1")
        net.give("n1", event(1, key, "a"))
        guard case .acknowledged(let ack) = try #require(net.replies[1]) else {
            Issue.record("no ack")
            return
        }
        #expect(ack.copies == 1)
    }

    @Test func threeNodesShareTheKeys() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(30))")
        var owners: Set<String> = []
        for number in 0..<40 {
            let key = key(number)
            let owner = try #require(net.owner(of: key))
            owners.insert(owner)
            net.give(owner, event(UInt64(number), key, "e\(number)"))
            guard case .acknowledged(let ack) = try #require(net.replies[UInt64(number)]) else {
                Issue.record("\(String(describing: net.replies[UInt64(number)]))")
                continue
            }
            #expect(ack.copies == 2)
        }
        #expect(owners == ["n1", "n2", "n3"])
    }

    @Test(arguments: ["n1", "n2", "n3"]) func theOthersTakeOverFromADeadNode(_ victim: String) throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        for number in 0..<40 { net.give(net.owner(of: key(number))!, event(UInt64(number), key(number), "e\(number)")) }
        net.kill(victim)
        let killedAt = net.now.bootMilliseconds
        #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(30))")
        print("taken over after \(net.now.bootMilliseconds - killedAt) ms")
        for number in 0..<40 {
            let owner = try #require(net.owner(of: key(number)))
            net.give(owner, event(UInt64(1000 + number), key(number), "e\(number)"))
            guard case .acknowledged(let ack) = try #require(net.replies[UInt64(1000 + number)]) else {
                Issue.record("\(String(describing: net.replies[UInt64(1000 + number)]))")
                continue
            }
            #expect(ack.isRepeated)
        }
    }
}
