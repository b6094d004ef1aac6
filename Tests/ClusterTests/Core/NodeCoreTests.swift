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

    private func publishAll(_ net: inout NodeNet, from base: UInt64 = 0, keys: Int = 40) throws {
        for number in 0..<keys {
            let owner = try #require(net.owner(of: key(number)), "key \(number)")
            net.give(owner, event(base + UInt64(number), key(number), "e\(base)-\(number)"))
            guard case .acknowledged(let ack) = try #require(net.replies[base + UInt64(number)]) else {
                Issue.record("\(String(describing: net.replies[base + UInt64(number)]))")
                continue
            }
            #expect(!ack.isRepeated)
        }
    }

    /// Every key's last event is known to its owner.
    private func expectKnown(_ net: inout NodeNet, _ base: UInt64, keys: Int = 40) throws {
        for number in 0..<keys {
            let owner = try #require(net.owner(of: key(number)), "key \(number)")
            let origin = 1_000_000 + base + UInt64(number)
            net.give(owner, event(origin, key(number), "e\(base)-\(number)"))
            guard case .acknowledged(let ack) = try #require(net.replies[origin]) else {
                Issue.record("\(String(describing: net.replies[origin]))")
                continue
            }
            #expect(ack.isRepeated, "key \(number)")
        }
    }

    @Test func allNodesStartAgainAtOnce() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        for name in ["n1", "n2", "n3"] { net.kill(name) }
        net.advance(500)
        for name in ["n1", "n2", "n3"] { net.start(name) }
        let begun = net.now.bootMilliseconds
        #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(30))")
        print("all again after \(net.now.bootMilliseconds - begun) ms")
        try expectKnown(&net, 0)
    }

    @Test func aRestartedNodeServesAgain() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        for name in ["n1", "n2", "n3"] {
            net.kill(name)
            net.start(name)
            let begun = net.now.bootMilliseconds
            #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(30))")
            print("\(name) again after \(net.now.bootMilliseconds - begun) ms")
        }
        try expectKnown(&net, 0)
    }

    /// However much there is to hand over, each name waits only for the few that are under way with it.
    @Test func aNodeThatIsToStopLetsGoNoFasterThanOthersTakeOver() throws {
        var net = NodeNet(["n1", "n2", "n3"], handedNamesMax: 3)
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net, keys: 120)
        net.give("n2", .drain(isFinal: false))
        #expect(net.until(30_000) { $0.drained.contains("n2") })
        #expect((1...5).contains(net.mostHanded), "\(net.mostHanded)")
        net.kill("n2")
        #expect(net.isWhole)
        try expectKnown(&net, 0, keys: 120)
    }

    private func isReplaced(_ net: NodeNet, _ new: NodeID) -> Bool {
        guard net.isWhole,
            let node = net.nodes.values.first(where: { $0.core.coordinatorID == $0.core.record?.id })
        else { return false }
        return node.core.consensus!.voters.voters.contains(new)
            && node.core.state.placement.entries.allSatisfy { $0.replicas.contains(new) && $0.former.isEmpty }
    }

    /// A shard that is to be handed over while it is still being taken over is let go of at once: it would else be
    /// served after the coordinator was told that it is not.
    @Test func whatIsBeingTakenOverIsLetGoBeforeThatIsSaid() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        let node = try #require(net.nodes["n1"])
        let me = try #require(node.core.record?.id)
        let shard = try #require((0..<Shard.count).first { node.core.state.placement[$0].owner != me })
        var entry = node.core.state.placement[shard]
        entry.epoch += 1
        entry.replicas = [me] + entry.replicas.filter { $0 != me }
        _ = node.core.state.apply(ClusterCommand.encode([.place([PlacedShard(shard: shard, entry: entry)])]))
        var effects: [ShardEffect] = []
        let batch = node.core.disk.openBatch
        node.core.shards?.place(shard, entry, batch: batch, now: net.now.bootMilliseconds, into: &effects)
        #expect(node.core.role(of: shard) == .owner(.promising))
        node.core.hand([Progress.ShardEpoch(shard: shard, epoch: entry.epoch)])
        var said: [NodeEffect] = []
        node.core.watchHanding(now: net.now, into: &said)
        #expect(node.core.role(of: shard) == .owner(.closed))
    }

    /// Any node may have to start an activity: it knows the tokens of devices whatever has happened to it.
    @Test func aRestartedNodeKnowsTheTokensOfDevices() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        let now = net.now
        let keeper = try #require(net.up.first { net.nodes[$0]!.core.routeRegistry(now: now) == .here })
        let name = DeviceName(app: 0, user: Array("u".utf8), device: Array("d".utf8))
        let token = Destination(kind: .startToken, app: 0, address: Array("abcd".utf8))
        let type = Array("Score".utf8)
        net.give(
            keeper,
            .request(
                .registerDevice(DeviceTokenInput(origin: 7, name: name, destination: token, attributesType: type))))
        #expect(net.replies[7] == .registered(isNew: true, instance: 0, tokens: 1))
        net.advance(500)
        func known(_ net: NodeNet) -> [String] {
            net.up.filter {
                net.nodes[$0]!.core.deviceToken(of: name, .startToken, attributesType: type) == token
            }
        }
        #expect(known(net) == ["n1", "n2", "n3"])
        for victim in ["n1", "n2", "n3"] {
            net.kill(victim)
            net.advance(100)
            net.start(victim)
            #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(20))")
            #expect(known(net) == ["n1", "n2", "n3"], "after \(victim)")
        }
    }

    /// Nobody of those whom the charter names lives any more when the last of them comes back as somebody else.
    @Test func allVotersOfTheFirstHourAreReplaced() {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        for name in ["n1", "n2", "n3"] {
            net.kill(name)
            net.advance(8_000)
            net.wipe(name)
            net.start(name)
            let new = net.nodes[name]!.core.record!.id
            #expect(net.until(200_000) { isReplaced($0, new) }, "\(name): \(net.notices.suffix(30))")
        }
    }

    @Test func aWipedNodeIsReplaced() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        net.kill("n2")
        let old = net.nodes["n2"]!.core.record!.id
        net.advance(8_000)
        net.wipe("n2")
        net.start("n2")
        let new = net.nodes["n2"]!.core.record!.id
        #expect(old != new)
        let isBack = net.until(200_000) { net in
            let state = net.nodes["n1"]!.core.state
            return net.isWhole && state.placement.entries.allSatisfy { $0.replicas.contains(new) && $0.former.isEmpty }
                && net.nodes["n1"]!.core.consensus!.voters.voters.contains(new)
        }
        #expect(
            isBack,
            "\(net.notices.suffix(30)) \(net.nodes["n1"]!.core.state.placement[0])"
        )
        print("replaced after \(net.now.bootMilliseconds) ms")
        net.kill("n1")
        #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(30))")
        try expectKnown(&net, 0)
    }

    @Test func aFourthNodeTakesItsShare() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        net.start("n4")
        let joined = net.until(400_000) { net in
            guard let id = net.nodes["n4"]?.core.record?.id else { return false }
            let entries = net.nodes["n1"]!.core.state.placement.entries
            return net.isWhole && entries.count { $0.owner == id } >= 1000
        }
        #expect(joined, "\(net.notices.suffix(10))")
        print("joined by", net.now.bootMilliseconds - 1_000_000)
        try expectKnown(&net, 0)
    }

    @Test func aDrainedNodeLeavesNoGap() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        for name in ["n2", "n1"] {
            net.give(name, .drain(isFinal: false))
            let begun = net.now.bootMilliseconds
            #expect(net.until(10_000) { $0.drained.contains(name) }, "\(net.notices.suffix(20))")
            print("\(name) drained after \(net.now.bootMilliseconds - begun) ms")
            net.kill(name)
            #expect(net.until(10_000) { $0.isWhole }, "\(net.notices.suffix(20))")
            print("whole after \(net.now.bootMilliseconds - begun) ms")
            try expectKnown(&net, 0)
            net.start(name)
            #expect(net.until(10_000) { $0.isWhole })
        }
    }

    /// As when everything is stopped: nobody is left to hand anything to, so nobody waits.
    @Test func nodesThatAllDrainDoNotHandToEachOther() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        let before = net.nodes["n1"]!.core.state.placement.entries.map(\.epoch)
        for name in ["n1", "n2", "n3"] { net.give(name, .drain(isFinal: false)) }
        for _ in 0..<40 where net.drained.count < 3 {
            net.advance(50)
            for name in net.drained { net.kill(name) }
        }
        #expect(net.drained.count == 3, "within two seconds")
        let after = net.nodes["n3"]!.core.state.placement.entries.map(\.epoch)
        #expect(zip(before, after).allSatisfy { $1 <= $0 + 2 }, "\(net.notices.suffix(20))")
        for name in ["n1", "n2", "n3"] { net.start(name) }
        #expect(net.until(30_000) { $0.isWhole }, "\(net.notices.suffix(30))")
        try expectKnown(&net, 0)
    }

    @Test func twoThatDrainAtOnceHandToTheThird() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        for name in ["n1", "n2"] { net.give(name, .drain(isFinal: false)) }
        #expect(net.until(10_000) { $0.drained.count == 2 }, "\(net.notices.suffix(20))")
        let entries = net.nodes["n3"]!.core.state.placement.entries
        let id = net.nodes["n3"]!.core.record!.id
        #expect(entries.allSatisfy { $0.owner == id }, "\(entries.count { $0.owner != id }) were not handed over")
    }

    @Test func anIsolatedOwnerStopsAndTheOthersGoOn() throws {
        var net = NodeNet(["n1", "n2", "n3"])
        #expect(net.until(30_000) { $0.isWhole })
        try publishAll(&net)
        net.isolate("n1")
        net.advance(6_000)
        #expect(!net.maySend("n1"))
        for number in 0..<40 { #expect(net.owner(of: key(number)) != nil) }
        try publishAll(&net, from: 500)
        net.cut = []
        #expect(net.until(60_000) { $0.isWhole && $0.maySend("n1") })
        try expectKnown(&net, 500)
    }
}
