public import Delivery
public import Wire

/// The side of the leader: admits members, gives leases, decides the placement.
///
/// Exists on every voter and acts only while its node leads with a majority behind it. Everything is decided again and
/// again from the applied state, the leases given and what members report; nothing is remembered that would be missed
/// after a change of leader.
public struct Coordinator: Sendable {
    /// Nodes that ask without being members: more are not remembered.
    static let strangersMax = 256

    /// A lease as the coordinator counts it.
    struct Lease: Hashable, Sendable {
        var generation: UInt64
        /// In milliseconds since boot.
        var until: Int64
    }

    /// The latest request of a node.
    struct Ask: Hashable, Sendable {
        var member: Member
        /// In milliseconds since boot.
        var received: Int64
        var isClockOff = false
    }

    let settings: CoordinatorSettings
    let me: NodeID
    let seed: (UInt64, UInt64)
    private(set) var term: UInt64 = 0
    private(set) var isActive = false
    /// In milliseconds since boot.
    private(set) var begun = Int64.min
    var nextReconcile = Int64.min
    private var leader: NodeID?

    var leases: [NodeID: Lease] = [:]
    var asks: [NodeID: Ask] = [:]
    var watch: MemberWatch
    var facts = ShardFacts()
    var pending = PendingProposals()
    var clockNotices: [NodeID: Int64] = [:]
    /// Since when this coordinator knows members to be cut off from APNs, in milliseconds since boot.
    var cutOff: [NodeID: Int64] = [:]
    /// Shards of which an operator accepts the loss.
    var accepted: [UInt16: AcceptedLoss] = [:]

    var candidates: [PlacementPlan.Candidate] = []
    var plan: PlacementPlan?
    var planReplicas = 0
    var scanned: ScanKey?
    var memory = ScanMemory()

    /// Shards that nobody can take, because too few of their copies live.
    public internal(set) var closedShards = 0
    /// Shards that are getting new copies.
    public internal(set) var movesUnderway = 0

    /// A coordinator that does nothing until `begin`. `shardSeed` is the charter's and breaks ties of the plan.
    public init(settings: CoordinatorSettings, me: NodeID, shardSeed: (UInt64, UInt64)) {
        self.settings = settings
        self.me = me
        seed = shardSeed
        watch = MemberWatch(settings: settings)
        pending = PendingProposals(settings: settings)
    }

    // MARK: Leadership

    /// This node leads, and has applied everything up to the first entry of its own term.
    public mutating func begin(term: UInt64, now: Moment) {
        forget()
        self.term = term
        isActive = true
        begun = now.bootMilliseconds
        nextReconcile = now.bootMilliseconds
        leader = me
    }

    /// This node leads no more, or is about to hand leadership over. Safe to call at any time.
    public mutating func end() {
        forget()
        isActive = false
    }

    /// Consensus says who leads, so that members that ask here are told.
    public mutating func know(coordinator: NodeID?) { leader = coordinator }

    private mutating func forget() {
        leases = [:]
        asks = [:]
        watch = MemberWatch(settings: settings)
        facts = ShardFacts()
        pending = PendingProposals(settings: settings)
        clockNotices = [:]
        cutOff = [:]
        accepted = [:]
        candidates = []
        plan = nil
        scanned = nil
        memory = ScanMemory()
        closedShards = 0
        movesUnderway = 0
    }

    /// When `tick` wants to be called, in milliseconds since boot; nil while somebody else coordinates.
    public var nextDeadline: Int64? { isActive ? nextReconcile : nil }

    /// When a member's lease ends as the coordinator counts it, in milliseconds since boot; nil when it has none.
    public func leaseEnd(of node: NodeID) -> Int64? { leases[node]?.until }

    /// Whether so many members look dead at once that no data moves.
    public func isBraked(at now: Moment) -> Bool { watch.isBraked(now: now.bootMilliseconds) }

    /// How long a member that lives still is not given anything to own, because it comes and goes or its lease lapses
    /// again and again, in milliseconds; nil when it may own.
    public func flapPenalty(of node: NodeID, now: Moment) -> Int64? {
        watch.settles(node, now: now.bootMilliseconds).map { $0 - now.bootMilliseconds }
    }

    // MARK: Inputs

    /// Takes a message of a member, or of a node that wants to be one; its sender has been authenticated.
    ///
    /// `clockOffset` is how far the sender's clock is off the median of the members, in milliseconds; nil when that is
    /// not known. `lastIndex` is the end of this node's log: what it says of an asker's shards counts before a lease
    /// does. `hasQuorum` is consensus' word that no other leader can have been elected.
    public mutating func handle(
        _ message: CoordinationMessage, _ header: MeshHeader, state: ClusterState, lastIndex: UInt64,
        clockOffset: Int64?, hasQuorum: Bool, now: Moment, into effects: inout [CoordinatorEffect]
    ) {
        switch message {
        case .leaseRequest(let request, let member, _):
            guard member.id == header.sender, member.incarnation.generation == header.generation else { return }
            guard isActive else {
                let other = leader == me ? nil : leader
                effects.append(
                    .send(.notCoordinator(request: request, coordinator: other ?? .none), to: header.sender))
                return
            }
            guard hasQuorum else { return }
            requested(
                request, member, state, lastIndex: lastIndex, clockOffset, now.bootMilliseconds, into: &effects)
        case .progress(let progress):
            guard isActive else { return }
            facts.take(progress, from: header.sender, placement: state.placement, now: now.bootMilliseconds)
            // Nobody serves what was let go.
            if !progress.released.isEmpty { nextReconcile = min(nextReconcile, now.bootMilliseconds) }
        case .waiting(let shards):
            guard isActive else { return }
            facts.takeWaiting(shards, from: header.sender, placement: state.placement, now: now.bootMilliseconds)
        case .charter, .lease, .leaseRefused, .notCoordinator, .handOver, .acceptLoss, .channelLost, .tokenRefused,
            .served:
            return
        }
    }

    /// Looks at everything and proposes what should be otherwise, when it is time.
    ///
    /// `view` is what membership of this node thinks of the others, `voters` the latest set of the log.
    public mutating func tick(
        state: ClusterState, view: [MemberRow], voters: VoterSet, charter: Charter, hasQuorum: Bool, now: Moment,
        into effects: inout [CoordinatorEffect]
    ) {
        let boot = now.bootMilliseconds
        guard isActive, boot >= nextReconcile else { return }
        nextReconcile = boot + settings.reconcileMilliseconds
        guard hasQuorum else { return }
        facts.follow(state.placement, now: boot)
        noteCutOff(state, boot)
        let situation = situation(state, view, boot)
        observe(situation, into: &effects)
        var commands: [ClusterCommand] = []
        reconcileMembers(situation, voters, into: &commands)
        reconcileVoters(situation, voters, charter, into: &effects)
        if canPlace(situation, charter) { reconcileShards(situation, into: &commands, &effects) }
        for batch in ClusterCommand.batches(commands) { effects.append(.propose(batch)) }
    }

    private mutating func noteCutOff(_ state: ClusterState, _ now: Int64) {
        let marked = state.present.filter(\.member.isCutOff).map(\.member.id)
        guard !marked.isEmpty || !cutOff.isEmpty else { return }
        cutOff = Dictionary(uniqueKeysWithValues: marked.map { ($0, cutOff[$0] ?? now) })
    }

    private mutating func observe(_ situation: Situation, into effects: inout [CoordinatorEffect]) {
        let now = situation.now
        let sightings = situation.present.map(\.member.id).map { node in
            MemberWatch.Sighting(
                node: node, isAlive: situation.isAlive(node), mayAct: situation.has(node, .mayAct),
                hasLapsed: situation.has(node, .lapsed))
        }
        watch.observe(sightings, me: me, now: now)
        for node in watch.takeFlapping() {
            guard let name = situation.state.members[node]?.member.name, let until = watch.settles(node, now: now)
            else { continue }
            effects.append(.notice(.flapping(name: name, milliseconds: until - now)))
        }
    }
}
