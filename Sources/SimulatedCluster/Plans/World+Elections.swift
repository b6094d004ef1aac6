internal import Cluster
internal import Wire

/// Plans against the coordinator's log.
extension World {
    // MARK: Votes

    /// Makes elections: the coordinator restarts, or is cut off for a while.
    mutating func plotVotes() {
        guard mayBegin(restMilliseconds: 2_500), let leader else { return }
        if scheme.dice.chance(perMille: 700) {
            befall(.crash(leader, downMilliseconds: scheme.dice.between(0, 60)))
        } else {
            befall(.cut(links(leader, Array(nodes.indices)), milliseconds: scheme.dice.between(1_300, 2_000)))
        }
    }

    /// A candidate is heard by one voter only. As soon as that one has given its vote it crashes, and the candidate is
    /// gone: who stands next stands in the same term.
    mutating func overhearVotes(_ message: ConsensusMessage, from node: Int, to target: Int) {
        switch message {
        case .voteRequest(let term, _, _, isTrial: false, _):
            guard scheme.candidacy == nil || scheme.candidacy?.term ?? 0 < term, scheme.dice.chance(perMille: 700)
            else { return }
            scheme.candidacy = Scheme.Candidacy(candidate: node, confidant: target, term: term)
            scheme.restsUntil = time + 7_000
            let others = nodes.indices.filter { $0 != target }
            befall(.cut(links(node, others), milliseconds: 3_500))
        case .vote(let term, isGranted: true, isTrial: false):
            guard let candidacy = scheme.candidacy, candidacy.candidate == target, candidacy.confidant == node,
                candidacy.term == term
            else { return }
            befall(.cut(links(target, [node]), milliseconds: 3_500))
            plan(.fault(.crash(node, downMilliseconds: scheme.dice.between(0, 60))), after: 0)
        default: break
        }
    }

    // MARK: Tails

    /// The log grows all the time; now and then the coordinator is cut off in the middle of it, alone or with one
    /// other.
    mutating func plotTails() {
        for node in nodes.indices where nodes[node].isUp && nodes[node].core.isLeader {
            churnChannels(node, scheme.dice.below(3))
        }
        guard mayBegin(restMilliseconds: scheme.dice.between(4_000, 7_000)), let leader else { return }
        if scheme.dice.chance(perMille: 300) {
            scheme.restsUntil = time + 12_000
            scheme.chain = 2
            return chainElections(leader)
        }
        var others = nodes.indices.filter { $0 != leader }
        if nodes.count > 4, scheme.dice.chance(perMille: 400) { others.remove(at: scheme.dice.below(others.count)) }
        befall(.cut(links(leader, others), milliseconds: scheme.dice.between(1_500, 3_500)))
        churnChannels(leader, 1 + scheme.dice.below(8))
        guard scheme.dice.chance(perMille: 300) else { return }
        plan(.fault(.crash(leader, downMilliseconds: scheme.dice.between(0, 60))), after: scheme.dice.between(20, 800))
    }

    /// Who has just been elected is cut off in turn, with entries of its own, and who was before is back.
    func cutPairs(_ node: Int) -> [(Int, Int)] { links(node, Array(nodes.indices)) }

    mutating func chainElections(_ node: Int) {
        guard scheme.chain > 0 else { return }
        scheme.chain -= 1
        if let former = scheme.cutOff, former != node { befall(.mend(cutPairs(former))) }
        scheme.cutOff = node
        befall(.cut(cutPairs(node), milliseconds: 8_000))
        churnChannels(node, 1 + scheme.dice.below(2))
    }

    /// An entry of an earlier term was committed before any of the term that is: its leader is cut off before it can
    /// make one, and who was cut off before is back.
    mutating func overhearEarlierTerm(_ node: Int) {
        guard hasPlan, scheme.plan == .tails else { return }
        trace(nil, "plan: entries of an earlier term are committed")
        if let former = scheme.cutOff, former != node { befall(.mend(cutPairs(former))) }
        befall(.cut(cutPairs(node), milliseconds: 5_000))
        scheme.chain = 0
    }

    // MARK: Voters

    mutating func plotVoters() {
        guard mayBegin(restMilliseconds: 9_000) else { return }
        nemesis.disksToLose = max(nemesis.disksToLose, 1)
        plan(.fault(.loseDisk(scheme.dice.below(nodes.count))), after: 0)
    }

    /// While voters change nothing can be committed.
    mutating func overhearVoters(_ message: ConsensusMessage, from node: Int) {
        guard case .append(_, _, _, let entries, _, _) = message else { return }
        for entry in entries where entry.kind == .voters && scheme.voterEntries.insert(entry.index).inserted {
            let length = scheme.dice.between(1_200, 3_000)
            for node in nodes.indices { befall(.failDisk(node, milliseconds: length)) }
        }
    }
}
