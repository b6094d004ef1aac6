internal import Cluster
internal import Wire

/// I12: copies move for a reason. What the log says about who has what is followed change by change; every copy that
/// begins somewhere makes up for one that is lost, mends a set with two replicas in a zone, or belongs to the share of
/// a member that has come.
struct PlacementChecks: Sendable {
    /// A copy may begin for a member that is back again: the decision was made shortly before, in milliseconds.
    private static let graceMilliseconds: Int64 = 5_000

    private let shards: [UInt16]
    private let placesEveryShard: Bool
    private let rebalanceAfterMilliseconds: Int64
    private var index: UInt64 = 0
    private var version: UInt64 = 0
    private var entries: [ShardEntry]
    private var term: UInt64 = 0
    /// Since when the coordinator has held members for dead.
    private var deadSince: [NodeID: Int64] = [:]
    /// Members that were dead for so long that their copies are made elsewhere, until they are counted on again; and
    /// when that was.
    private var gone: [NodeID: Int64] = [:]
    /// Members whose share has been granted.
    private var known: Set<NodeID> = []
    private var candidates: [NodeID] = []
    /// Copies that may move because members came, and those that have.
    private var granted = 0
    private(set) var moved = 0

    init(shards: [UInt16], rebalanceAfterMilliseconds: Int64) {
        self.shards = shards
        placesEveryShard = shards.count > Int(Shard.count)
        self.rebalanceAfterMilliseconds = rebalanceAfterMilliseconds
        entries = [ShardEntry](repeating: ShardEntry(), count: shards.count)
    }

    /// A core has ended a turn.
    mutating func turned(_ core: borrowing NodeCore, at time: Int64) -> Checks.Problem? {
        if core.isLeader, core.term >= term { watch(core, at: time) }
        guard core.stateIndex > index else { return nil }
        index = core.stateIndex
        guard core.state.placement.version != version else { return nil }
        version = core.state.placement.version
        return changed(core, at: time)
    }

    // MARK: Members

    private mutating func watch(_ core: borrowing NodeCore, at time: Int64) {
        if core.term > term {
            term = core.term
            deadSince = [:]
        }
        let me = core.record?.id
        for member in core.state.present {
            let id = member.member.id
            let state = core.member(id)?.state
            // Who leaves gives its share away; if it starts again before it is gone, it is counted on anew.
            if !member.takesShards { known.remove(id) }
            guard id != me, state != .alive, state != .suspect else {
                deadSince[id] = nil
                continue
            }
            let since = deadSince[id] ?? time
            deadSince[id] = since
            // A clock may run 1 % too fast.
            guard time - since >= rebalanceAfterMilliseconds * 98 / 100 else { continue }
            gone[id] = .max
            known.remove(id)
        }
        let counted = core.placementCandidates
        guard !counted.isEmpty, counted != candidates else { return }
        candidates = counted
        // A plan for all shards makes up for what is left over by one copy of a member.
        if placesEveryShard, !known.isEmpty { granted += counted.count }
        for id in counted where deadSince[id] == nil { grant(id, at: time) }
    }

    /// A member is counted on: from now on it may get its share.
    private mutating func grant(_ id: NodeID, at time: Int64) {
        if gone[id] == .max { gone[id] = time }
        guard known.insert(id).inserted, entries.contains(where: { $0.epoch > 0 }) else { return }
        let copies = entries.reduce(0) { $0 + $1.replicas.count }
        // Shares are whole numbers, and a plan leaves one copy of difference between any two members.
        granted += copies / candidates.count + (placesEveryShard ? candidates.count : 0)
    }

    private func isFit(_ id: NodeID, _ state: ClusterState, at time: Int64) -> Bool {
        guard let member = state.members[id], member.takesShards else { return false }
        return gone[id].map { $0 < time - Self.graceMilliseconds } ?? true
    }

    // MARK: Copies

    private mutating func changed(_ core: borrowing NodeCore, at time: Int64) -> Checks.Problem? {
        let wanted = min(3, core.state.present.count { $0.takesShards })
        let zones = core.state.zones(of: candidates)
        for (at, shard) in shards.enumerated() {
            let (before, now) = (entries[at], core.state.placement[shard])
            guard before != now else { continue }
            entries[at] = now
            guard before.epoch > 0 else { continue }
            let begun = begun(shard, before, now)
            guard begun > 0 else { continue }
            let fit = before.replicas.filter { isFit($0, core.state, at: time) }
            var needed = max(0, wanted - fit.count)
            if zones.count >= wanted {
                needed += fit.count - core.state.zones(of: fit).count
            }
            moved += max(0, begun - needed)
            guard moved > granted else { continue }
            return (
                .placementIsCalm,
                "shard \(shard) gets \(begun) new copies, where \(needed) are lacking: \(moved) have moved so, and the"
                    + " members that came may have \(granted)"
            )
        }
        return nil
    }

    /// How many members get copies of a shard that had none.
    private func begun(_ shard: UInt16, _ before: ShardEntry, _ now: ShardEntry) -> Int {
        // All listen to the registry.
        let holders = shard == Shard.registry ? now.replicas : now.replicas + now.learners
        return holders.count {
            !before.replicas.contains($0) && !before.learners.contains($0) && !before.former.contains($0)
        }
    }
}

extension ClusterState {
    /// The zones in which some members are.
    func zones(of nodes: [NodeID]) -> Set<String> { Set(nodes.compactMap { members[$0]?.member.zone }) }
}
