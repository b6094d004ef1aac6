public import Wire

/// Changes of the members, one step at a time.
extension Consensus {
    /// Puts a new set of voters and learners into the log; it holds at once. False, and nothing happens, when this node
    /// does not lead or has not yet committed an entry of its term, while the last set is not committed, when more than
    /// one voter would come or go, or when the voter that would come is no learner that is in step.
    public mutating func changeVoters(
        _ set: VoterSet, now: Int64, into effects: inout [ConsensusEffect]
    ) -> Bool {
        guard role == .leader, handOver == nil, isWellFormed(set), set != configuration else { return false }
        guard settings.mutant == .singleStepRuleDropped || isSingleStep(to: set) else { return false }
        let before = standing
        make(.voters, set.encoded())
        findPeers()
        flush(&effects)
        heartbeat(now, &effects)
        replicate(now, &effects)
        advanceCommit(now, &effects)
        finish(before, &effects)
        return true
    }

    /// Two sets that follow each other have a majority in common only if one voter is the difference and the first is
    /// committed; and a leader must have committed in its own term before (Ongaro, raft-dev, 2015).
    private func isSingleStep(to set: VoterSet) -> Bool {
        let now = Set(configuration.voters)
        let then = Set(set.voters)
        let coming = then.subtracting(now)
        guard isEstablished, votersAreCommitted, coming.count + now.subtracting(then).count <= 1 else { return false }
        return coming.allSatisfy(isInStep)
    }

    private func isWellFormed(_ set: VoterSet) -> Bool {
        let all = set.voters + set.learners
        return !set.voters.isEmpty && Set(all).count == all.count && set.voters.count <= VoterSet.votersMax
            && set.learners.count <= VoterSet.learnersMax
    }
}
