import Wire

extension Coordinator {
    /// Whether shards may be given to anybody: they have been, or all voters of the first hour are here.
    func canPlace(_ situation: Situation, _ charter: Charter) -> Bool {
        situation.state.placement.version > 0
            || charter.voters.allSatisfy { voter in
                situation.state.member(named: voter.name).map { situation.has($0.member.id, [.alive, .present]) }
                    ?? false
            }
    }

    /// Looks at every shard and proposes its next step.
    mutating func reconcileShards(
        _ situation: Situation, into commands: inout [ClusterCommand], _ effects: inout [CoordinatorEffect]
    ) {
        replan(situation)
        guard let plan else { return }
        let placement = situation.state.placement
        let key = ScanKey(
            placement: placement.version, facts: facts.version, abilities: situation.abilities, candidates: candidates,
            replicas: planReplicas)
        guard key != scanned else { return }
        var judge = ShardJudge(
            situation: situation, settings: settings, replicas: planReplicas, owned: owned(placement))
        var round = Round(
            underway: underway(situation), movesMax: settings.movesMax, isBraked: watch.isBraked(now: situation.now))
        memory.follow(key)
        for (index, entry) in placement.entries.enumerated() {
            let shard = UInt16(index)
            if let only = settings.placedOnly, !only.contains(shard) { continue }
            if skips(index, entry, &round) { continue }
            var step = judge.step(shard, entry, facts.rows[index], goal: plan[shard])
            if !accepted.isEmpty {
                step = stepOfLoss(step, shard, entry, facts.rows[index], judge)
            }
            if step == .none { memory.noteCalm(index, epoch: entry.epoch) }
            take(step, shard, entry, situation.now, into: &round)
        }
        movesUnderway = round.underway
        if round.closed != closedShards {
            closedShards = round.closed
            effects.append(.notice(.shardsClosed(count: round.closed)))
        }
        scanned = round.isQuiet && accepted.isEmpty ? key : nil
        if !round.placed.isEmpty { commands.append(.place(round.placed)) }
        if !round.confirmed.isEmpty { commands.append(.confirm(round.confirmed)) }
        for (owner, shards) in round.letGo.sorted(by: { $0.key < $1.key }) {
            effects.append(.send(.handOver(term: term, shards), to: owner))
        }
        for (owner, shards) in round.lost.sorted(by: { $0.key < $1.key }) {
            effects.append(.send(.acceptLoss(term: term, shards), to: owner))
        }
    }

    /// Whether what was found of a shard last time is still true: neither its entry nor the members have changed, and
    /// its owner has not let go.
    private func skips(_ index: Int, _ entry: ShardEntry, _ round: inout Round) -> Bool {
        guard accepted.isEmpty, !facts.rows[index].isReleased else { return false }
        if memory.isCalm(index, epoch: entry.epoch) { return true }
        guard !round.hasRoom, memory.isDeferred(index, epoch: entry.epoch) else { return false }
        round.isQuiet = false
        return true
    }

    /// What one look at all shards has collected.
    private struct Round {
        var underway: Int
        let movesMax: Int
        let isBraked: Bool
        var hasRoom: Bool { !isBraked && underway < movesMax }
        var handOvers = 0
        var closed = 0
        var isQuiet = true
        var placed: [PlacedShard] = []
        var confirmed: [Progress.ShardEpoch] = []
        var letGo: [NodeID: [Progress.ShardEpoch]] = [:]
        var lost: [NodeID: [Progress.ShardEpoch]] = [:]
    }

    private mutating func take(
        _ step: ShardStep, _ shard: UInt16, _ entry: ShardEntry, _ now: Int64, into round: inout Round
    ) {
        switch step {
        case .none: return
        case .closed:
            round.closed += 1
            return
        case .wait: break
        case .place(let next, let isMove):
            if isMove {
                guard round.hasRoom else {
                    memory.noteDeferred(Int(shard), epoch: entry.epoch)
                    break
                }
                round.underway += 1
            }
            if pending.startPlace(shard, epoch: next.epoch, now: now) {
                round.placed.append(PlacedShard(shard: shard, entry: next))
            }
        case .confirm:
            if pending.startConfirm(shard, epoch: entry.epoch, now: now) {
                round.confirmed.append(Progress.ShardEpoch(shard: shard, epoch: entry.epoch))
            }
        case .handOver:
            guard let owner = entry.owner, round.handOvers < settings.handOversMax else { break }
            round.handOvers += 1
            if pending.startHandOver(shard, epoch: entry.epoch, now: now) {
                round.letGo[owner, default: []].append(Progress.ShardEpoch(shard: shard, epoch: entry.epoch))
            }
        case .acceptLoss:
            guard let owner = entry.owner else { break }
            round.lost[owner, default: []].append(Progress.ShardEpoch(shard: shard, epoch: entry.epoch))
        }
        round.isQuiet = false
    }

    /// Shards whose copies are on their way to somebody who lives. The registry's learners are not on their way.
    private func underway(_ situation: Situation) -> Int {
        situation.state.placement.entries.dropLast().count { $0.learners.contains(where: situation.isAlive) }
    }

    private func owned(_ placement: Placement) -> [NodeID: Int] {
        var owned: [NodeID: Int] = [:]
        for entry in placement.entries {
            if let owner = entry.owner { owned[owner, default: 0] += 1 }
        }
        return owned
    }

    // MARK: The plan

    /// Makes the plan anew when the members are not those that it was made for.
    private mutating func replan(_ situation: Situation) {
        let next = nextCandidates(situation)
        let replicas = min(settings.replicas, situation.present.count { $0.takesShards })
        guard plan == nil || next != candidates || replicas != planReplicas else { return }
        candidates = next
        planReplicas = replicas
        plan = PlacementPlan(
            current: situation.state.placement, candidates: next, replicas: replicas, seed: seed,
            mutant: settings.mutant)
    }

    /// Who may hold copies: who lives and has not just come back from the dead, and who died not long ago and has some.
    private func nextCandidates(_ situation: Situation) -> [PlacementPlan.Candidate] {
        let now = situation.now
        let before = Set(candidates.map(\.id))
        let isBraked = watch.isBraked(now: now)
        var holders: Set<NodeID> = []
        if situation.present.contains(where: { !situation.isAlive($0.member.id) }) {
            for entry in situation.state.placement.entries { holders.formUnion(entry.replicas) }
        }
        return situation.present.filter(\.takesShards).compactMap { member in
            let node = member.member.id
            let isSettled = watch.isSettled(node, now: now)
            let holds =
                situation.isAlive(node)
                ? isSettled || before.contains(node)
                : holders.contains(node) && (isBraked || !watch.isGivenUp(node, now: now))
            guard holds else { return nil }
            return PlacementPlan.Candidate(
                id: node, weight: member.member.weight, zone: member.member.zone,
                mayOwn: situation.has(node, .mayAct) && !situation.has(node, .draining) && isSettled)
        }
    }
}
