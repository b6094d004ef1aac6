import Wire

extension Coordinator {
    /// How long a request says something about its sender, in milliseconds.
    private static let askMilliseconds: Int64 = 10_000

    /// Admits who asks, takes note of new runs and descriptions, removes who has left.
    mutating func reconcileMembers(
        _ situation: Situation, _ voters: VoterSet, into commands: inout [ClusterCommand]
    ) {
        let now = situation.now
        asks = asks.filter { now - $0.value.received < Self.askMilliseconds }
        var named: Set<String> = []
        for (node, ask) in asks.sorted(by: { $0.key < $1.key }) {
            guard let known = situation.state.members[node] else {
                if named.insert(ask.member.name).inserted { admit(ask.member, situation, into: &commands) }
                continue
            }
            guard !known.isRemoved else { continue }
            let generation = ask.member.incarnation.generation
            if generation > known.generation, settings.mutant != .leaseNotBoundToGeneration,
                pending.start(.generation(node), now: now)
            {
                commands.append(.generation(node, generation))
            }
            if ask.member.describesOtherwise(than: known.member), pending.start(.describe(node), now: now) {
                commands.append(.describe(ask.member))
            }
        }
        removeLeavers(situation, voters, into: &commands)
    }

    /// A new node; when it has the name of a member that is dead it replaces that one, whose disk is lost.
    private mutating func admit(
        _ member: Member, _ situation: Situation, into commands: inout [ClusterCommand]
    ) {
        let old = situation.state.member(named: member.name)?.member.id
        if let old, situation.isAlive(old) || !situation.hasLapsed(old) || old == me { return }
        guard pending.start(.admit(member.id), now: situation.now) else { return }
        if let old { commands.append(.remove(old)) }
        commands.append(.admit(member))
    }

    /// Who leaves for good votes no more before it is removed, so that it may end, and its disk with it, once it is
    /// told.
    private mutating func removeLeavers(
        _ situation: Situation, _ voters: VoterSet, into commands: inout [ClusterCommand]
    ) {
        for member in situation.present where member.leaves && member.member.id != me {
            let node = member.member.id
            let isNeeded = voters.voters.contains(node) || holdsShards(node, situation)
            if !isNeeded, pending.start(.remove(node), now: situation.now) { commands.append(.remove(node)) }
        }
    }

    private func holdsShards(_ node: NodeID, _ situation: Situation) -> Bool {
        situation.state.placement.entries.contains { $0.replicas.contains(node) || $0.former.contains(node) }
    }

    // MARK: Voters

    /// Brings the voters towards what they should be by one step: a removed one goes, then a missing one comes, then
    /// who only stood in goes. Every other member listens.
    ///
    /// Beyond the voters of the first hour only an odd number is aimed at, and nobody goes but to make it odd: one more
    /// voter than an odd number survives no loss more, and another coordinator may have an older configuration.
    mutating func reconcileVoters(
        _ situation: Situation, _ voters: VoterSet, _ charter: Charter, into effects: inout [CoordinatorEffect]
    ) {
        let wanted = wantedVoters(situation, voters, charter)
        var next = voters.voters
        if let gone = next.first(where: { isGone($0, situation, charter) && $0 != me }), next.count > 1 {
            next.removeAll { $0 == gone }
        } else if let new = newVoter(next, wanted, situation, voters, charter) {
            next.append(new)
        } else if next.count % 2 == 0, next.count > wanted.count,
            let spare = next.first(where: { !wanted.contains($0) && $0 != me })
        {
            next.removeAll { $0 == spare }
        }
        let learners = situation.present.map(\.member.id).filter { !next.contains($0) }
        let set = VoterSet(voters: next, learners: learners)
        guard set != voters, pending.start(.voters, now: situation.now) else { return }
        effects.append(.changeVoters(set))
    }

    private func newVoter(
        _ now: [NodeID], _ wanted: [NodeID], _ situation: Situation, _ voters: VoterSet, _ charter: Charter
    ) -> NodeID? {
        let missing = wanted.filter { !now.contains($0) && mayVote($0, situation, voters) }
        let makesOdd = now.count % 2 == 0 || missing.count > 1
        return now.count < charter.voters.count || makesOdd ? missing.first : nil
    }

    /// Whether a voter is no member any more. One that the charter names and that has not asked to be admitted yet is
    /// only late, unless another node has its name.
    private func isGone(_ voter: NodeID, _ situation: Situation, _ charter: Charter) -> Bool {
        if let member = situation.state.members[voter] {
            return member.isRemoved || member.leaves && !holdsShards(voter, situation)
        }
        guard let name = charter.voters.first(where: { $0.id == voter })?.name else { return true }
        return situation.state.member(named: name) != nil
    }

    /// Only who has listened to the log may vote: consensus refuses anybody else.
    private func mayVote(_ node: NodeID, _ situation: Situation, _ voters: VoterSet) -> Bool {
        voters.learners.contains(node) && situation.has(node, .mayAct)
    }

    /// The members that the charter and then the configuration name, whatever their identity is now; others stand in
    /// for those of the charter that are missing, voters before learners.
    private func wantedVoters(_ situation: Situation, _ voters: VoterSet, _ charter: Charter) -> [NodeID] {
        var wanted = charter.voters.compactMap { voter in
            let known = situation.state.members[voter.id]
            guard let member = situation.state.member(named: voter.name) else { return known == nil ? voter.id : nil }
            return member.leaves ? nil : member.member.id
        }
        for name in settings.voters {
            guard let named = situation.state.member(named: name), !named.leaves, !wanted.contains(named.member.id)
            else { continue }
            wanted.append(named.member.id)
        }
        let others = situation.present.map(\.member.id).filter { !wanted.contains($0) }
        let standIns =
            others.filter(voters.voters.contains)
            + others.filter {
                !voters.voters.contains($0) && situation.has($0, .mayAct) && !situation.has($0, .draining)
            }
        for node in standIns where wanted.count < charter.voters.count { wanted.append(node) }
        return wanted
    }
}
