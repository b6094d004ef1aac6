import Cluster
import Delivery
import Wire

/// The cores of some nodes in virtual time: a network of a millisecond, disks of some, and nodes that can be killed,
/// started again and frozen. Nothing is lost, so that what is measured are the settings.
///
/// Times are milliseconds since the world began; clocks do not drift.
struct LeaseWorld {
    /// What is tried.
    struct Settings {
        var nodes = 3
        var leaseMilliseconds: Int64 = 2000
        var electionMilliseconds: ClosedRange<Int64> = 600...1200
        /// How long a flap of a member counts; short where members are killed on purpose again and again.
        var flapMilliseconds: Int64 = 600_000

        var heartbeatMilliseconds: Int64 { leaseMilliseconds / 6 }
        var consensusHeartbeatMilliseconds: Int64 { electionMilliseconds.lowerBound / 4 }
    }

    struct Place: Hashable {
        var kind: UInt8
        var key: [UInt8]
    }

    /// A reference: a core is too large to be copied for a look at it.
    final class Node {
        var core: NodeCore
        var isUp = false
        var run = 0
        var inbox: [NodeInput] = []
        var turnAt = Int64.max
        /// The whole process stands still before.
        var stillUntil: Int64 = 0
        var disk: [Place: [UInt8]] = [:]
        /// Batches become durable in order.
        var diskFreeAt: Int64 = 0

        init(core: consuming NodeCore) { self.core = core }
    }

    enum Event {
        case turn(Int)
        case arrive(Int, NodeInput)
        case stored(Int, run: Int, batch: UInt64, [StoreWrite])
    }

    static let bootOffset: Int64 = 1_000_000

    let settings: Settings
    var nodes: [Node] = []
    var time: Int64 = 0
    var dice: SplitMix64
    var watch = LeaseWatch()
    private var agenda = LeaseAgenda<Event>()
    private var arrivals: [[Int64]]
    private var effects: [NodeEffect] = []

    init(_ settings: Settings, seed: UInt64) {
        self.settings = settings
        dice = SplitMix64(seed: seed)
        arrivals = Array(repeating: Array(repeating: 0, count: settings.nodes), count: settings.nodes)
        for index in 0..<settings.nodes { nodes.append(Node(core: core(index))) }
        for index in 0..<settings.nodes { start(index) }
    }

    var moment: Moment {
        Moment(wallMilliseconds: 1_800_000_000_000 + time, bootMilliseconds: Self.bootOffset + time)
    }

    // MARK: Nodes

    private mutating func core(_ index: Int) -> NodeCore {
        let names = (1...settings.nodes).map { "n\($0)" }
        var core = NodeCoreSettings(
            core: CoreSettings(apps: ["cricket"]), clusterName: "bench", voters: names,
            seeds: names.filter { $0 != names[index] }.map { Seed(name: $0, control: "tcp://\($0):1") })
        core.coordinator.leaseMilliseconds = settings.leaseMilliseconds
        core.coordinator.flapMilliseconds = settings.flapMilliseconds
        core.lease.heartbeatMilliseconds = settings.heartbeatMilliseconds
        core.lease.patienceMilliseconds = settings.heartbeatMilliseconds * 3 / 2
        core.consensus.electionMilliseconds = settings.electionMilliseconds
        core.consensus.heartbeatMilliseconds = settings.consensusHeartbeatMilliseconds
        let description = NodeDescription(
            name: names[index], control: "tcp://\(names[index]):1", data: "tcp://\(names[index]):2", producers: "")
        return NodeCore(settings: core, description: description, random: dice.next())
    }

    mutating func start(_ index: Int) {
        guard !nodes[index].isUp else { return }
        var core = core(index)
        let rows = nodes[index].disk.sorted {
            ($0.key.kind, $0.key.key.count) == ($1.key.kind, $1.key.key.count)
                ? $0.key.key.lexicographicallyPrecedes($1.key.key)
                : ($0.key.kind, $0.key.key.count) < ($1.key.kind, $1.key.key.count)
        }
        for (place, value) in rows { _ = core.restore(kind: place.kind, key: place.key, value: value) }
        let random = (0..<64).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
        _ = core.finishRestore(randomBytes: random, now: moment, into: &effects)
        nodes[index].core = core
        nodes[index].isUp = true
        nodes[index].run += 1
        nodes[index].diskFreeAt = time
        nodes[index].turnAt = .max
        carryOut(index)
        wake(index, at: time)
    }

    mutating func kill(_ index: Int) {
        nodes[index].isUp = false
        nodes[index].inbox = []
        nodes[index].stillUntil = 0
    }

    mutating func freeze(_ index: Int, milliseconds: Int64) {
        nodes[index].stillUntil = max(nodes[index].stillUntil, time + milliseconds)
    }

    // MARK: Time

    mutating func advance(to limit: Int64) {
        while let (at, event) = agenda.next(upTo: limit) {
            time = max(time, at)
            switch event {
            case .turn(let index): if nodes[index].turnAt == at { turn(index) }
            case .arrive(let index, let input):
                guard nodes[index].isUp else { continue }
                nodes[index].inbox.append(input)
                wake(index, at: time)
            case .stored(let index, let run, let batch, let writes): stored(index, run, batch, writes)
            }
        }
        time = limit
    }

    private mutating func wake(_ index: Int, at wanted: Int64) {
        let at = max(wanted, nodes[index].stillUntil, time)
        guard at < nodes[index].turnAt else { return }
        nodes[index].turnAt = at
        agenda.plan(.turn(index), at: at)
    }

    private mutating func turn(_ index: Int) {
        nodes[index].turnAt = .max
        guard nodes[index].isUp else { return }
        guard time >= nodes[index].stillUntil else { return wake(index, at: time) }
        let inbox = nodes[index].inbox
        nodes[index].inbox = []
        for input in inbox { nodes[index].core.handle(input, now: moment, into: &effects) }
        nodes[index].core.endTurn(now: moment, into: &effects)
        carryOut(index)
        watch.placement(of: index, nodes, now: moment.bootMilliseconds)
        if let deadline = nodes[index].core.nextDeadline {
            wake(index, at: max(time + 1, max(deadline, Self.bootOffset) - Self.bootOffset))
        }
    }

    private mutating func stored(_ index: Int, _ run: Int, _ batch: UInt64, _ writes: [StoreWrite]) {
        guard nodes[index].isUp, nodes[index].run == run else { return }
        for write in writes { nodes[index].disk[Place(kind: write.kind.rawValue, key: write.key)] = write.value }
        nodes[index].inbox.append(.stored(batch: batch))
        wake(index, at: time)
    }

    // MARK: Effects

    private mutating func carryOut(_ index: Int) {
        for effect in effects {
            switch effect {
            case .store(let batch, let writes, _):
                nodes[index].diskFreeAt = max(nodes[index].diskFreeAt, time + 2 + dice.below(7))
                agenda.plan(
                    .stored(index, run: nodes[index].run, batch: batch, writes), at: nodes[index].diskFreeAt)
            case .sendControl(let message, .member(let member)):
                post(index, member.name) { .control(message, $0.header(to: member)) }
            case .sendControl(let message, .seed(let name, _)):
                post(index, name) { .control(message, $0.header(to: nil)) }
            case .sendReplication(let message, let member):
                post(index, member.name) { .replication(message, $0.header(to: member)) }
            case .clusterNotice(.coordinator(.some, let term)): watch.terms.insert(term)
            case .reply, .receipt, .offer, .withdraw, .lease, .manage, .notice, .clusterNotice, .stage, .drained:
                break
            }
        }
        effects.removeAll(keepingCapacity: true)
    }

    private mutating func post(_ from: Int, _ name: String, _ make: (Node) -> NodeInput) {
        guard let number = Int(name.dropFirst()), nodes.indices.contains(number - 1) else { return }
        let to = number - 1
        arrivals[from][to] = max(arrivals[from][to], time + dice.below(2))
        agenda.plan(.arrive(to, make(nodes[from])), at: arrivals[from][to])
    }
}

extension LeaseWorld.Node {
    func header(to member: Member?) -> MeshHeader {
        MeshHeader(
            cluster: core.charter?.cluster ?? .none, sender: core.record?.id ?? .none,
            generation: core.record?.generation ?? 0, target: member?.id ?? .none,
            targetGeneration: member?.incarnation.generation ?? 0)
    }

    /// Whether the node answers for a shard at this moment of its boot clock.
    func serves(_ shard: UInt16, now: Int64) -> Bool {
        isUp && core.role(of: shard) == .owner(.active) && core.leaseUntil > now
    }
}
