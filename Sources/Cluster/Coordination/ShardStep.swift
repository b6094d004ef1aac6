import Wire

/// What should happen to a shard next.
enum ShardStep: Hashable {
    /// It is as it should be.
    case none
    /// Something is under way, or has to be waited for.
    case wait
    /// Nobody can take it: too few of its copies live.
    case closed
    /// Its entry changes; `isMove`: data begins to move.
    case place(ShardEntry, isMove: Bool)
    /// Its former replicas can be forgotten.
    case confirm
    /// Its owner is to let go.
    case handOver
    /// Its owner is to begin with the copies that it could read: an operator has accepted the loss of the others.
    case acceptLoss
}

/// Decides the next step of shards at one moment; pure but for the balance of what it gives away.
struct ShardJudge {
    let situation: Situation
    let settings: CoordinatorSettings
    /// Copies that there should be.
    let replicas: Int
    /// Shards owned by each member, what was decided meanwhile among them.
    var owned: [NodeID: Int]

    /// The next step of a shard. `goal` is the plan's.
    mutating func step(
        _ shard: UInt16, _ entry: ShardEntry, _ facts: ShardFacts.Row, goal: [NodeID]
    ) -> ShardStep {
        guard let owner = entry.owner else { return first(shard, entry, goal) }
        let wanted = wanted(entry, goal)
        guard mayAct(owner) else {
            return situation.hasLapsed(owner) ? succeed(entry, facts, wanted) : .wait
        }
        if facts.isReleased { return succeed(entry, facts, wanted) }
        if let rescue = rescue(entry, wanted) { return rescue }
        guard living(entry.replicas) >= entry.copiesNeeded, entry.former.isEmpty || isReadable(entry.former) else {
            return .closed
        }
        guard entry.former.isEmpty else { return facts.isActive ? .confirm : .wait }
        return improve(shard, entry, facts, wanted)
    }

    private func mayAct(_ node: NodeID) -> Bool { situation.has(node, .mayAct) }

    /// Nobody ever had it: there is nothing to read.
    private func first(_ shard: UInt16, _ entry: ShardEntry, _ goal: [NodeID]) -> ShardStep {
        guard goal.count == replicas, living(goal) == goal.count, let owner = goal.first, mayAct(owner) else {
            return .wait
        }
        return .place(
            ShardEntry(
                epoch: entry.epoch + 1, replicas: goal, learners: shard == Shard.registry ? listeners(goal) : []),
            isMove: false)
    }

    /// The registry's learners: everybody else.
    func listeners(_ replicas: [NodeID]) -> [NodeID] {
        situation.present.filter { !$0.leaves && !replicas.contains($0.member.id) }.map(\.member.id).sorted()
    }

    /// The plan's replicas; where it has too few, replicas that are dead and may come back.
    private func wanted(_ entry: ShardEntry, _ goal: [NodeID]) -> [NodeID] {
        guard goal.count < replicas else { return goal }
        let kept = entry.replicas.filter { !goal.contains($0) && situation.has($0, .takesShards) }
        return goal + kept.prefix(replicas - goal.count)
    }

    // MARK: A new owner

    /// The owner is lost or has let go: another replica takes over if enough of them can be read.
    private mutating func succeed(_ entry: ShardEntry, _ facts: ShardFacts.Row, _ wanted: [NodeID]) -> ShardStep {
        guard isReadable(entry.replicas), entry.former.isEmpty || isReadable(entry.former) else { return .closed }
        let able = entry.replicas.filter(mayAct)
        let changesSet =
            facts.isReleased && entry.former.isEmpty && !isSame(wanted, entry.replicas)
            && isReady(wanted, entry, facts) && wanted.contains(where: able.contains)
        let set = changesSet ? wanted : entry.replicas
        guard let owner = successor(able.filter(set.contains), entry, facts, wanted) else { return .closed }
        owned[owner, default: 0] += 1
        return .place(
            ShardEntry(
                epoch: entry.epoch + 1, replicas: [owner] + set.filter { $0 != owner },
                learners: entry.learners.filter { !set.contains($0) },
                former: changesSet ? former(entry) : entry.former),
            isMove: false)
    }

    private func successor(
        _ able: [NodeID], _ entry: ShardEntry, _ facts: ShardFacts.Row, _ wanted: [NodeID]
    ) -> NodeID? {
        // Who gives up what it owns gets it back only from others that do.
        if let planned = wanted.first, able.contains(planned), !givesUp(planned) || able.allSatisfy(givesUp) {
            return planned
        }
        func rank(_ node: NodeID) -> (Int, Int, Int, Int, NodeID) {
            (
                givesUp(node) ? 1 : 0, node == entry.owner ? 1 : 0,
                facts.synced.contains(node) ? 0 : 1, owned[node] ?? 0, node
            )
        }
        return able.min { rank($0) < rank($1) }
    }

    /// Whether so many live that any of them together have seen every committed change.
    private func isReadable(_ nodes: [NodeID]) -> Bool {
        living(nodes) >= ShardEntry.readsNeeded(of: nodes.count)
    }

    private func living(_ nodes: [NodeID]) -> Int {
        nodes.count { situation.has($0, .living) }
    }

    private func former(_ entry: ShardEntry) -> [NodeID] {
        settings.mutant == .formerNotKept ? [] : entry.replicas
    }

    // MARK: Other replicas

    private func isSame(_ left: [NodeID], _ right: [NodeID]) -> Bool {
        left.count == right.count && left.allSatisfy(right.contains)
    }

    /// Whether everybody who would be new is a learner in step.
    private func isReady(_ wanted: [NodeID], _ entry: ShardEntry, _ facts: ShardFacts.Row) -> Bool {
        wanted.allSatisfy { node in
            entry.replicas.contains(node)
                || entry.learners.contains(node)
                    && (facts.synced.contains(node) || settings.mutant == .swapInUnsyncedLearner)
        }
    }

    /// Of two replicas one is lost for good, and both would be needed to go on: the owner has everything that was ever
    /// committed, so a newcomer takes the place before it is in step.
    private func rescue(_ entry: ShardEntry, _ wanted: [NodeID]) -> ShardStep? {
        guard entry.replicas.count == 2, let owner = entry.owner, wanted.contains(owner),
            entry.former.isEmpty || entry.former.contains(owner) && entry.former.count <= 2,
            let lost = entry.replicas.first(where: { $0 != owner }), !wanted.contains(lost), living([lost]) == 0,
            wanted.allSatisfy({ $0 == owner || mayAct($0) })
        else { return nil }
        return .place(
            ShardEntry(
                epoch: entry.epoch + 1, replicas: [owner] + wanted.filter { $0 != owner }.prefix(1),
                learners: entry.learners.filter { !wanted.contains($0) },
                former: entry.former.isEmpty ? former(entry) : [owner]),
            isMove: true)
    }

    /// The owner is well and serves: towards the plan, data first.
    private func improve(
        _ shard: UInt16, _ entry: ShardEntry, _ facts: ShardFacts.Row, _ wanted: [NodeID]
    ) -> ShardStep {
        guard let owner = entry.owner else { return .wait }
        let missing = wanted.filter { !entry.replicas.contains($0) }
        let isRegistry = shard == Shard.registry
        if situation.has(owner, .draining), entry.replicas.contains(where: { isWilling($0) }) { return .handOver }
        let learners = isRegistry ? listeners(entry.replicas) : missing
        guard isSame(learners, entry.learners) else {
            let able = learners.filter { entry.learners.contains($0) || isRegistry || mayAct($0) }
            return learn(entry, facts, able, isRegistry: isRegistry)
        }
        if !isSame(wanted, entry.replicas) {
            guard isReady(wanted, entry, facts) else { return .wait }
            return wanted.contains(owner)
                ? swap(entry, to: [owner] + wanted.filter { $0 != owner }, isRegistry: isRegistry)
                : part(entry, owner, wanted, isRegistry: isRegistry)
        }
        return wanted.first.map { $0 != owner && isWilling($0) } ?? false ? .handOver : .none
    }

    /// The owner is to have no copy any more. One of those who are to have one takes over; where none of them is a
    /// replica yet, nobody could, and first all of them but one become replicas beside the owner.
    private func part(_ entry: ShardEntry, _ owner: NodeID, _ wanted: [NodeID], isRegistry: Bool) -> ShardStep {
        let known = wanted.filter(entry.replicas.contains)
        guard known.isEmpty else { return known.contains(where: mayAct) ? .handOver : .wait }
        return swap(entry, to: [owner] + wanted.prefix(max(1, replicas - 1)), isRegistry: isRegistry)
    }

    private func swap(_ entry: ShardEntry, to set: [NodeID], isRegistry: Bool) -> ShardStep {
        .place(
            ShardEntry(
                epoch: entry.epoch + 1, replicas: set,
                learners: isRegistry ? listeners(set) : entry.learners.filter { !set.contains($0) },
                former: former(entry)), isMove: false)
    }

    private func isWilling(_ node: NodeID) -> Bool { mayAct(node) && !givesUp(node) }

    private func givesUp(_ node: NodeID) -> Bool { situation.has(node, .draining) || situation.has(node, .cutOff) }

    /// Who is to get copies changes. Not while the owner is taking over: that would make it begin again.
    /// The registry is small and needed everywhere: nobody waits for it as for copies, of which few move at a time.
    private func learn(
        _ entry: ShardEntry, _ facts: ShardFacts.Row, _ learners: [NodeID], isRegistry: Bool
    ) -> ShardStep {
        let isCalm = facts.isActive || situation.now - facts.since >= settings.takeOverMilliseconds
        guard isCalm, !isSame(learners, entry.learners) else { return .wait }
        var next = entry
        next.epoch += 1
        next.learners = learners
        return .place(next, isMove: !isRegistry && learners.contains { !entry.learners.contains($0) })
    }
}
