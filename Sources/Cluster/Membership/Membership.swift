public import Delivery
public import Wire

/// Who is alive, as far as this node can tell: SWIM (Das, Gupta, Motivala 2002) with suspicion, and Lifeguard
/// (arXiv 1707.00788). A value without clock, randomness or sockets. Its verdicts are hints and never decide who owns
/// anything. Docs/Cluster.md has the words.
///
/// The owner calls `tick` when `nextDeadline` has come, and `handle` for each message; both may send. A call that comes
/// later than `timeoutMilliseconds` after the deadline is taken for a standstill of this node, and all waiting is
/// prolonged by it: who stood still has no verdict about others.
public struct Membership: Sendable {
    let settings: MembershipSettings
    let clusterName: String
    let seeds: [Seed]
    /// This node, as it describes itself.
    public internal(set) var me: Member
    /// Local health, 0 (well) to `healthMax`: probes of an ailing node wait longer.
    public internal(set) var health = 0
    /// What was counted since the start.
    public internal(set) var counters = MembershipCounters()
    /// This node has said that it goes.
    public internal(set) var isLeaving = false

    var random: SplitMix64
    /// The charter's identity.
    var cluster = NodeID.none
    /// The first cluster that spoke to this node while it has no charter: it listens to no other one.
    var bound = NodeID.none
    var removed: Set<NodeID> = []
    /// Removed members, the latest last, so that they can be told.
    var gone: [Member] = []
    var stateIndex: UInt64 = 0

    var table = PeerTable()
    /// How often this node's last change was passed on; nil when that was often enough.
    var ownTold: Int? = 0

    var sequence: UInt32 = 0
    var sent: [SentPing] = []
    var probe: Probe?
    /// Grows with every probe; says whose turn it is.
    var probeTurn: Int64 = 0
    var relays: [Relay] = []
    var toldRefusals: [ToldRefusal] = []

    var hasStarted = false
    var probeDue: Int64 = 0
    var gossipDue: Int64 = 0
    var deadProbeDue: Int64 = 0
    var seedDue: Int64 = 0
    var seedDelay: Int64
    var exchangeDue: Int64 = 0
    /// When the last full exchange began.
    var exchangedAt: Int64 = 0
    /// A member that came back without a restart: what parted it from this node may have parted others.
    var reunited: NodeID?

    /// What `nextDeadline` was after the last call, or the time of that call when it had passed already.
    var announcedDeadline: Int64 = 0

    // Derived from the table by `recount`, after each call that changed it.
    var presentCount = 0
    var hasNews = true
    var earliestSuspicion = Int64.max

    /// Makes the membership of a node that knows nobody. `random` seeds all choices.
    public init(settings: MembershipSettings, clusterName: String, me: Member, seeds: [Seed], random: UInt64) {
        self.settings = settings
        self.clusterName = clusterName
        self.me = me
        self.seeds = seeds.filter { $0.name != me.name }
        self.random = SplitMix64(seed: random)
        seedDelay = settings.aloneMilliseconds
    }
}

extension Membership {
    /// The cluster that the node has its charter of; `.none` until then. Rows of other clusters are dropped.
    public mutating func setCluster(_ identity: NodeID) {
        guard identity != cluster else { return }
        cluster = identity
        bound = .none
        dropStrangers(to: identity)
        // What could not be passed on without a charter can now.
        recount()
    }

    /// Final verdicts of the cluster state. Their rows are dropped and do not come back.
    public mutating func setRemoved(_ nodes: Set<NodeID>) {
        guard nodes != removed else { return }
        removed = nodes
        for peer in table.peers where nodes.contains(peer.id) { gone.append(peer.member) }
        gone.removeAll { !nodes.contains($0.id) }
        if gone.count > Self.goneMax { gone.removeFirst(gone.count - Self.goneMax) }
        table.removeAll { nodes.contains($0.id) }
        recount()
    }

    /// The last log entry that is applied here, for others to compare.
    public mutating func setStateIndex(_ index: UInt64) { stateIndex = index }

    /// Changes what the node says of itself, and tells everybody. ID and incarnation stay the node's own.
    public mutating func describe(_ change: (inout Member) -> Void, now: Moment) {
        var member = me
        change(&member)
        member.id = me.id
        member.incarnation = me.incarnation
        guard member != me else { return }
        me = member
        raiseCounter(above: me.incarnation.counter)
        gossipDue = min(gossipDue, now.bootMilliseconds)
    }

    /// Says goodbye: others will see `left` and not wait. The node goes on answering until it stops.
    public mutating func leave(now: Moment, into effects: inout [MembershipEffect]) {
        guard !isLeaving else { return }
        isLeaving = true
        probe = nil
        ownTold = 0
        defer { recount() }
        for index in choose(Self.leaveReceiversMax, where: { $0.isPresent }) {
            effects.append(.send(.leave(me.incarnation), to: table[index].member))
        }
    }

    static var goneMax: Int { 64 }
    static var leaveReceiversMax: Int { 16 }
    static var sentMax: Int { 64 }

    /// The cluster whose messages count: the charter's, or the one that spoke first.
    var knownCluster: NodeID { cluster != .none ? cluster : bound }

    mutating func dropStrangers(to identity: NodeID) {
        guard identity != .none else { return }
        table.removeAll { $0.cluster != .none && $0.cluster != identity }
    }

    /// Only the node itself raises its counter.
    mutating func raiseCounter(above counter: UInt32) {
        let highest = max(counter, me.incarnation.counter)
        me.incarnation.counter = highest == .max ? highest : highest + 1
        ownTold = 0
        hasNews = true
    }

    mutating func changeHealth(by change: Int) {
        health = min(max(0, health + change), settings.healthMax)
    }

    /// Up to `count` different peers that fulfil `condition`, at random.
    mutating func choose(_ count: Int, where condition: (Peer) -> Bool) -> [Int] {
        var candidates = table.indices.filter { condition(table[$0]) }
        let chosen = min(count, candidates.count)
        for place in 0..<chosen {
            let other = place + Int(random.below(Int64(candidates.count - place)))
            candidates.swapAt(place, other)
        }
        return Array(candidates.prefix(chosen))
    }

    /// Brings what is derived from the table up to date.
    mutating func recount() {
        presentCount = 0
        hasNews = ownTold != nil
        earliestSuspicion = .max
        for peer in table.peers {
            if peer.isPresent { presentCount += 1 }
            if peer.told != nil, mayTell(of: peer) { hasNews = true }
            if let suspicion = peer.suspicion { earliestSuspicion = min(earliestSuspicion, suspicion.deadline) }
        }
    }
}
