internal import Cluster
internal import Wire

/// Plans against shards.
extension World {
    // MARK: Fence

    /// An owner that does not coordinate is cut off with copies on their way to one replica, which does not get them
    /// yet.
    mutating func plotFence() {
        if let siege = scheme.siege, time > siege.until { scheme.siege = nil }
        guard scheme.siege == nil, mayBegin(restMilliseconds: 9_000), let leader else { return }
        let state = nodes[leader].core.state
        let busy = producers.filter { $0.periodMilliseconds <= 50 }.map { shardNumber(ofProducer: $0.index) }
        let start = scheme.dice.below(max(busy.count, 1))
        for turn in busy.indices {
            let entry = state.placement[busy[(start + turn) % busy.count]]
            guard let owner = entry.owner.flatMap(nodeIndex(of:)), owner != leader else { continue }
            let others = entry.replicas.compactMap(nodeIndex(of:)).filter { $0 != owner && $0 != leader }
            guard !others.isEmpty else { continue }
            scheme.siege = Scheme.Siege(
                owner: owner, replica: others[scheme.dice.below(others.count)], until: time + 5_500)
            // Not yet: what has not arrived by then is what counts.
            return befall(.cut(links(owner, Array(nodes.indices)), milliseconds: 8_000))
        }
    }

    /// The replica has promised, and its new owner is about to go on from there: from now on the replica is connected
    /// to its old owner and to nobody else.
    mutating func overhearFence(_ message: ReplicationMessage, from node: Int, to target: Int) {
        guard var siege = scheme.siege, node != siege.owner else { return }
        switch message {
        case .promised where node == siege.replica && target != siege.owner:
            siege.heir = target
            scheme.siege = siege
        case .copies where node == siege.heir && target == siege.replica:
            scheme.siege = nil
            let others = nodes.indices.filter { $0 != siege.owner && $0 != siege.replica }
            befall(.cut(links(siege.replica, others), milliseconds: scheme.dice.between(1_500, 4_000)))
            if scheme.dice.chance(perMille: 500) {
                plan(.fault(.crash(siege.replica, downMilliseconds: scheme.dice.between(0, 60))), after: 0)
            }
            plan(.fault(.mend(links(siege.owner, [siege.replica]))), after: 0)
        default: break
        }
    }

    // MARK: Moves

    /// Nodes are gone for so long that their copies are made elsewhere, and come back.
    mutating func plotMoves() {
        guard mayBegin(restMilliseconds: scheme.dice.between(12_000, 15_000)) else { return }
        befall(.crash(scheme.dice.below(nodes.count), downMilliseconds: scheme.dice.between(6_500, 8_500)))
    }

    /// The set of a shard's replicas is about to change: its owner is cut off with the replica that goes, or that one
    /// is heard by everybody but the next owner.
    mutating func overhearMoves(_ message: ConsensusMessage, from node: Int) {
        guard case .append(_, _, _, let entries, _, _) = message else { return }
        for entry in entries where entry.kind == .command && scheme.placed.insert(entry.index).inserted {
            guard let (owner, leaver, set) = changedSet(entry.payload, by: node) else { continue }
            let others = nodes.indices.filter { $0 != owner && $0 != leaver }
            let length = scheme.dice.between(4_500, 7_000)
            if scheme.dice.chance(perMille: 500) {
                return befall(.cut(links(owner, others) + links(leaver, others), milliseconds: length))
            }
            let newer = set.filter { $0 != owner && $0 != leaver }
            return befall(.cut(links(owner, others) + links(leaver, newer), milliseconds: length))
        }
    }

    /// A shard whose owner stays and one of whose other replicas goes although it lives.
    private func changedSet(_ payload: [UInt8], by coordinator: Int) -> (owner: Int, leaver: Int, set: [Int])? {
        for command in ClusterCommand.decode(payload) ?? [] {
            guard case .place(let list) = command else { continue }
            for item in list {
                let former = nodes[coordinator].core.state.placement[item.shard]
                guard former.owner != nil, former.owner == item.entry.owner else { continue }
                let set = item.entry.replicas.compactMap(nodeIndex(of:))
                let leavers = former.replicas.compactMap(nodeIndex(of:)).filter { !set.contains($0) && nodes[$0].isUp }
                guard let owner = set.first, let leaver = leavers.first, owner != coordinator, leaver != coordinator
                else { continue }
                return (owner, leaver, set)
            }
        }
        return nil
    }

    // MARK: Gaps

    mutating func plotGaps() {
        guard mayBegin(restMilliseconds: scheme.dice.between(3_000, 5_000)) else { return }
        befall(.crash(scheme.dice.below(nodes.count), downMilliseconds: scheme.dice.between(200, 2_000)))
    }

    /// A connection breaks with rows on it and is there again at once.
    mutating func overhearGaps(_ message: ReplicationMessage, from node: Int, to target: Int) -> Bool {
        guard case .rows = message, scheme.dice.chance(perMille: 400) else { return true }
        network.sever(node, target)
        return false
    }
}
