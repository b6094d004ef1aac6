public import Delivery
public import Wire

/// What an operator may decide: that copies which do not come back are lost.
extension Coordinator {
    /// For how long an operator's word counts, in milliseconds.
    static let acceptedMilliseconds: Int64 = 60_000

    /// The shards that nobody can serve at the moment, in their order. Many are so for seconds while nodes start or
    /// take over. Empty while this node does not coordinate, or the placement is not planned yet.
    public func stuckShards(state: ClusterState, view: [MemberRow], now: Moment) -> [StuckShard] {
        guard isActive, let plan else { return [] }
        let situation = situation(state, view, now.bootMilliseconds)
        var judge = ShardJudge(situation: situation, settings: settings, replicas: planReplicas, owned: [:])
        return state.placement.entries.enumerated().compactMap { index, entry in
            let shard = UInt16(index)
            let facts = facts.rows[index]
            let isStuck =
                judge.step(shard, entry, facts, goal: plan[shard]) == .closed || judge.isUnread(entry, facts)
            return isStuck ? judge.stuck(shard, entry) : nil
        }
    }

    /// An operator says that what the missing members of these shards had is lost; nil: of all that are stuck. Returns
    /// those for which the word counts: the others are served, or about to be.
    ///
    /// It counts for a minute and is not remembered when another node coordinates: the operator then says it again.
    public mutating func acceptLoss(
        of shards: Set<UInt16>?, state: ClusterState, view: [MemberRow], now: Moment
    ) -> [StuckShard] {
        let stuck = stuckShards(state: state, view: view, now: now).filter { shards?.contains($0.shard) ?? true }
        for item in stuck { accepted[item.shard] = now.bootMilliseconds + Self.acceptedMilliseconds }
        if !stuck.isEmpty {
            scanned = nil
            nextReconcile = now.bootMilliseconds
        }
        return stuck
    }

    /// The step of a shard whose loss is accepted, instead of the one that waits for its copies.
    mutating func stepOfLoss(
        _ step: ShardStep, _ shard: UInt16, _ entry: ShardEntry, _ facts: ShardFacts.Row, _ judge: ShardJudge
    ) -> ShardStep {
        guard let until = accepted[shard] else { return step }
        guard judge.situation.now < until, !facts.isActive || step == .closed else {
            accepted[shard] = nil
            return step
        }
        if step == .closed { return judge.withoutMissing(shard, entry, facts) ?? .closed }
        return judge.isUnread(entry, facts) ? .acceptLoss : step
    }
}

extension ShardJudge {
    /// Whether the owner says that it waits for copies to read, and has done so for long.
    func isUnread(_ entry: ShardEntry, _ facts: ShardFacts.Row) -> Bool {
        guard let owner = entry.owner, situation.has(owner, .mayAct), facts.epoch == entry.epoch, !facts.isActive else {
            return false
        }
        return situation.now - facts.since >= settings.takeOverMilliseconds
            && facts.waitingAt >= situation.now - settings.waitingMilliseconds
    }

    func stuck(_ shard: UInt16, _ entry: ShardEntry) -> StuckShard {
        let holders = holders(entry)
        return StuckShard(
            shard: shard, replicas: entry.replicas, living: holders.filter { situation.has($0, .living) },
            missing: holders.filter { !situation.has($0, .living) })
    }

    private func holders(_ entry: ShardEntry) -> [NodeID] {
        entry.replicas + entry.former.filter { !entry.replicas.contains($0) }
    }

    /// What becomes of the shard when the loss is accepted; nil: somebody has a copy and nobody of those may act, which
    /// is to be mended first, or nobody at all may act.
    func withoutMissing(_ shard: UInt16, _ entry: ShardEntry, _ facts: ShardFacts.Row) -> ShardStep? {
        let living = holders(entry).filter { situation.has($0, .living) }
        let able = living.filter { situation.has($0, .mayAct) }
        let canWrite = entry.replicas.count(where: living.contains) >= entry.copiesNeeded
        // Who can open its epoch with the copies that live only has to be told that the others are lost.
        if canWrite, let owner = entry.owner, able.contains(owner), !facts.isActive { return .acceptLoss }
        func rank(_ node: NodeID) -> (Int, Int) {
            (node == entry.owner ? 0 : 1, facts.synced.contains(node) ? 0 : 1)
        }
        if canWrite {
            guard let owner = able.filter(entry.replicas.contains).min(by: { rank($0) < rank($1) }) else { return nil }
            var next = entry
            next.epoch += 1
            next.replicas = [owner] + entry.replicas.filter { $0 != owner }
            return .place(next, isMove: false)
        }
        let newcomers = newcomers(for: shard).filter { !living.contains($0) }
        guard let owner = living.isEmpty ? newcomers.first : able.min(by: { rank($0) < rank($1) }) else { return nil }
        let others = living.filter { $0 != owner }
        let set = [owner] + (others + newcomers.filter { $0 != owner }).prefix(max(replicas, 1) - 1)
        return .place(
            ShardEntry(
                epoch: entry.epoch + 1, replicas: set, learners: shard == Shard.registry ? listeners(set) : [],
                // Another copy that is left must be read, newcomers have nothing to be read.
                former: others), isMove: false)
    }

    /// Members that may get a shard at once, in an order that spreads shards over them.
    private func newcomers(for shard: UInt16) -> [NodeID] {
        let able = situation.present.map(\.member.id).filter {
            situation.has($0, [.mayAct, .takesShards]) && !situation.has($0, .draining)
        }
        guard !able.isEmpty else { return [] }
        let first = Int(shard) % able.count
        return Array(able[first...] + able[..<first])
    }
}
