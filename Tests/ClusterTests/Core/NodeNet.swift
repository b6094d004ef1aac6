import Delivery
import Wire

@testable import Cluster

/// A few nodes on an instant, faultless network, in virtual time: for what the parts do together when nothing fails.
struct NodeNet {
    final class Node {
        var core: NodeCore
        var isUp = true
        var disk: [ConsensusNode.Row: StoreWrite]

        init(core: consuming NodeCore, disk: [ConsensusNode.Row: StoreWrite]) {
            self.core = core
            self.disk = disk
        }
    }

    var nodes: [String: Node] = [:]
    var now = Moment(wallMilliseconds: 1_800_000_000_000, bootMilliseconds: 1_000_000)
    private var inbox: [(to: String, input: NodeInput)] = []
    var replies: [UInt64: Reply] = [:]
    var offers: [PushItem] = []
    var managed: [(node: String, intent: UInt64)] = []
    var notices: [String] = []
    var drained: Set<String> = []
    var leases: [String: Int64] = [:]
    /// Most names that a node had under way to others.
    var mostHanded = 0
    /// From whom nothing reaches whom.
    var cut: Set<[String]> = []
    let voters: [String]
    /// Names that a node has under way to others before it waits; nil: the default.
    let handedNamesMax: Int?

    init(_ names: [String], voters: [String]? = nil, handedNamesMax: Int? = nil) {
        self.voters = voters ?? names
        self.handedNamesMax = handedNamesMax
        for name in names { start(name) }
    }

    static func control(_ name: String) -> String { "tcp://\(name):1" }

    func settings(_ name: String) -> NodeCoreSettings {
        var settings = NodeCoreSettings(
            core: CoreSettings(apps: ["cricket"]), clusterName: "test", voters: voters,
            seeds: voters.filter { $0 != name }.map { Seed(name: $0, control: Self.control($0)) })
        if let handedNamesMax { settings.handedNamesMax = handedNamesMax }
        return settings
    }

    mutating func start(_ name: String) {
        let number = UInt64(name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
        var core = NodeCore(
            settings: settings(name),
            description: NodeDescription(
                name: name, control: Self.control(name), data: "tcp://\(name):2", producers: "tcp://\(name):3"),
            random: number &+ UInt64(bitPattern: now.bootMilliseconds))
        let disk = nodes[name]?.disk ?? [:]
        for row in disk.values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            if let value = row.value { _ = core.restore(kind: row.kind.rawValue, key: row.key, value: value) }
        }
        let spice = number &+ UInt64(bitPattern: now.bootMilliseconds) &* 0x9e37_79b9_7f4a_7c15
        let random = (0..<64).map { UInt8(truncatingIfNeeded: spice >> UInt64($0 % 8 * 8)) &+ UInt8($0) }
        var effects: [NodeEffect] = []
        let faults = core.finishRestore(randomBytes: random, now: now, into: &effects)
        precondition(faults.isEmpty, "\(faults)")
        nodes[name] = Node(core: core, disk: disk)
        carryOut(effects, name)
        endTurn(name)
    }

    mutating func kill(_ name: String) { nodes[name]?.isUp = false }

    /// The directory is lost: the next start makes another node of the same name.
    mutating func wipe(_ name: String) { nodes[name]?.disk = [:] }

    mutating func isolate(_ name: String) {
        for other in nodes.keys where other != name { cut.formUnion([[name, other], [other, name]]) }
    }

    private mutating func post(_ from: String, _ to: String, _ input: NodeInput) {
        if !cut.contains([from, to]) { inbox.append((to, input)) }
    }

    // MARK: Turns

    mutating func advance(_ milliseconds: Int64) {
        var left = milliseconds
        while left > 0 {
            now = now.advanced(byMilliseconds: 10)
            left -= 10
            for name in nodes.keys.sorted() where nodes[name]!.isUp { endTurn(name) }
            deliver()
        }
    }

    /// Looks every 50 ms: what is waited for is seldom cheap to see.
    mutating func until(_ limit: Int64, _ condition: (NodeNet) -> Bool) -> Bool {
        for _ in 0..<(limit / 50) {
            if condition(self) { return true }
            advance(50)
        }
        return condition(self)
    }

    mutating func give(_ name: String, _ input: NodeInput) {
        inbox.append((name, input))
        deliver()
    }

    private mutating func deliver() {
        var rounds = 0
        while !inbox.isEmpty, rounds < 10_000 {
            rounds += 1
            let now = self.now
            let work = inbox
            inbox = []
            var touched: Set<String> = []
            for (name, input) in work where nodes[name]?.isUp == true {
                var effects: [NodeEffect] = []
                nodes[name]!.core.handle(input, now: now, into: &effects)
                touched.insert(name)
                carryOut(effects, name)
            }
            for name in touched.sorted() { endTurn(name) }
        }
    }

    private mutating func endTurn(_ name: String) {
        var effects: [NodeEffect] = []
        nodes[name]!.core.endTurn(now: now, into: &effects)
        mostHanded = max(mostHanded, nodes[name]!.core.handing.names)
        carryOut(effects, name)
    }

    private mutating func carryOut(_ effects: [NodeEffect], _ name: String) {
        for effect in effects {
            switch effect {
            case .store(let batch, let writes, _):
                for write in writes {
                    let row = ConsensusNode.Row(kind: write.kind, key: write.key)
                    nodes[name]?.disk[row] = write.value == nil ? nil : write
                }
                inbox.append((name, .stored(batch: batch)))
            case .sendControl(let message, .member(let member)):
                post(name, member.name, .control(message, header(name, member)))
            case .sendControl(let message, .seed(let seed, _)):
                post(name, seed, .control(message, header(name, nil)))
            case .sendReplication(let message, let member):
                post(name, member.name, .replication(message, header(name, member)))
            case .reply(let origin, let reply): replies[origin] = reply
            case .offer(let item, let destinations):
                offers.append(item)
                let reports = destinations.map {
                    LaneReport(destination: $0, ticket: item.ticket, sequence: item.sequence, outcome: .accepted)
                }
                inbox.append((name, .report(reports)))
            case .manage(let intent, _, let operation):
                managed.append((name, intent))
                var answer = ChannelAnswer.listed([])
                if case .create = operation { answer = .created(channelID: Array("channel\(intent)".utf8)) }
                inbox.append((name, .channel(.answered(intent: intent, answer: answer))))
            case .lease(let until): leases[name] = until
            case .clusterNotice(let notice): notices.append("\(now.bootMilliseconds) \(name): \(notice)")
            case .drained: drained.insert(name)
            case .receipt, .withdraw, .notice, .stage: break
            }
        }
    }

    private func header(_ name: String, _ member: Member?) -> MeshHeader {
        let node = nodes[name]!
        let record = node.core.record!
        return MeshHeader(
            cluster: node.core.charter?.cluster ?? .none, sender: record.id, generation: record.generation,
            target: member?.id ?? .none, targetGeneration: member?.incarnation.generation ?? 0)
    }

    // MARK: Looking

    func maySend(_ name: String) -> Bool { nodes[name]!.core.maySend(now: now) }

    var up: [String] { nodes.filter(\.value.isUp).keys.sorted() }

    /// Who answers for the key, when every living node agrees.
    func owner(of key: Key) -> String? {
        let found = up.filter { nodes[$0]!.core.route(key, now: now) == .here }
        return found.count == 1 ? found[0] : nil
    }

    /// Whether every shard is served by exactly one living node, which has a lease.
    var isWhole: Bool {
        var served = 0
        for name in up where maySend(name) {
            served += nodes[name]!.core.shards?.activeCount ?? 0
        }
        return served == Int(Shard.count) + 1
    }
}
