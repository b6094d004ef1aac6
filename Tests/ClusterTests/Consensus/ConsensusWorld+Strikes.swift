import Wire

@testable import Cluster

/// Callers, and whatever goes wrong.
extension ConsensusWorld {
    var leaderIndex: Int? { nodes.firstIndex { $0.consensus?.role == .leader } }

    mutating func propose() {
        plan(.propose, after: dice.between(2, isHealed ? 100 : 30))
        proposeToLeaders()
    }

    private mutating func proposeToLeaders() {
        for node in nodes.indices where nodes[node].consensus?.role == .leader && nodes[node].frozenUntil <= time {
            lastCommand += 1
            let payload = [UInt8](repeating: UInt8(node), count: Int(dice.below(24))) + lastCommand.bytes
            turn(node) { consensus, now, effects in
                _ = consensus.propose(payload, now: now, into: &effects)
            }
            guard let consensus = nodes[node].consensus,
                consensus.log.entry(at: consensus.lastIndex)?.payload == payload
            else { continue }
            if consensus.applied < consensus.lastIndex { nodes[node].proposals[consensus.lastIndex] = payload }
        }
    }

    mutating func strike() {
        guard !isHealed else { return }
        plan(.strike, after: dice.between(20, 900))
        let node = Int(dice.below(Int64(nodes.count)))
        if faults.crashes, dice.chance(percent: 40) { crash(dice.chance(percent: 50) ? leaderIndex ?? node : node) }
        if faults.cuts, dice.chance(percent: 40) { cut(around: dice.chance(percent: 50) ? leaderIndex ?? node : node) }
        if faults.freezes, dice.chance(percent: 30) { freeze(dice.chance(percent: 50) ? leaderIndex ?? node : node) }
        if faults.slowDisks, dice.chance(percent: 30) {
            nodes[node].diskIsSlow = true
            plan(.diskSlow(node, false), after: dice.between(100, 2_000))
        }
        if faults.changes, dice.chance(percent: 60) { changeVoters() }
        if faults.transfers, dice.chance(percent: 40), let leader = leaderIndex {
            let target = dice.chance(percent: 50) ? nodes[node].name : nil
            turn(leader) { $0.transfer(to: target, now: $1, into: &$2) }
        }
    }

    mutating func aim(at node: Int, _ strike: Strike) {
        guard !isHealed else { return }
        switch strike {
        case .crash: if faults.crashes { crash(node) }
        case .isolate: if faults.cuts { cut(others(of: node), node, both: true) }
        case .halfIsolate: if faults.cuts { cut(others(of: node), node, both: false) }
        case .freeze: if faults.freezes { freeze(node) }
        case .leaveOne:
            guard faults.cuts, nodes.count > 2 else { return }
            var others = others(of: node)
            others.remove(at: Int(dice.below(Int64(others.count))))
            cut(others, node, both: true)
        }
    }

    private func others(of node: Int) -> [Int] { nodes.indices.filter { $0 != node } }

    private mutating func cut(_ others: [Int], _ node: Int, both: Bool) {
        // A tail that only this node has.
        if dice.chance(percent: 50) { for _ in 0..<dice.below(40) { proposeToLeaders() } }
        for other in others {
            cuts.insert(Link(from: node, to: other))
            if both { cuts.insert(Link(from: other, to: node)) }
        }
        plan(.healLinks, after: dice.between(50, 8 * settings.electionMilliseconds.upperBound))
    }

    /// Isolates a node, makes some links deaf in one direction, or parts the world.
    private mutating func cut(around node: Int) {
        switch dice.below(4) {
        case 0: cut(others(of: node), node, both: true)
        case 1: cut(others(of: node).filter { $0 % 2 == Int(dice.below(2)) }, node, both: false)
        case 2:
            for from in nodes.indices {
                for to in nodes.indices where from != to && dice.chance(percent: 25) {
                    cuts.insert(Link(from: from, to: to))
                }
            }
            plan(.healLinks, after: dice.between(50, 4_000))
        default:
            let side = Set(nodes.indices.filter { _ in dice.chance(percent: 50) })
            for one in side {
                for other in nodes.indices where !side.contains(other) {
                    cuts.insert(Link(from: one, to: other))
                    cuts.insert(Link(from: other, to: one))
                }
            }
            plan(.healLinks, after: dice.between(50, 8 * settings.electionMilliseconds.upperBound))
        }
    }

    private mutating func freeze(_ node: Int) {
        nodes[node].frozenUntil = time + dice.between(10, 3 * settings.electionMilliseconds.upperBound)
    }

    /// Asks every leader for some other set; most are refused.
    private mutating func changeVoters() {
        for node in nodes.indices where nodes[node].frozenUntil <= time {
            guard let consensus = nodes[node].consensus, consensus.role == .leader else { continue }
            let set = anotherSet(than: consensus.voters)
            turn(node) { consensus, now, effects in
                _ = consensus.changeVoters(set, now: now, into: &effects)
            }
            if nodes[node].consensus?.voters == set { figures.changes += 1 }
        }
    }

    private mutating func anotherSet(than now: VoterSet) -> VoterSet {
        var set = now
        if dice.chance(percent: 20) {
            set.voters = nodes.map(\.name).filter { _ in dice.chance(percent: 50) }
            set.learners.removeAll(where: set.voters.contains)
            return VoterSet(voters: set.voters, learners: set.learners)
        }
        for _ in 0..<(dice.chance(percent: 80) ? 1 : 2) {
            let name = nodes[Int(dice.below(Int64(nodes.count)))].name
            let wasVoter = set.voters.contains(name)
            set.voters.removeAll { $0 == name }
            set.learners.removeAll { $0 == name }
            switch dice.below(4) {
            case 0, 1: if wasVoter { set.learners.append(name) } else { set.voters.append(name) }
            case 2: set.learners.append(name)
            default: break
            }
        }
        return VoterSet(voters: set.voters, learners: set.learners)
    }

    /// Ends all faults. Nodes that were taken out stay out.
    mutating func heal() {
        isHealed = true
        cuts = []
        for node in nodes.indices {
            nodes[node].frozenUntil = 0
            nodes[node].diskIsSlow = false
            start(node)
        }
    }
}

extension UInt64 {
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) } }
}
