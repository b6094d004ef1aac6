import Cluster
import Wire

/// Decides at once and is believed late.
struct ShardWorldCoordinator {
    var entries: [ShardEntry] = []
    /// The entries of each shard since the first.
    var history: [UInt16: [ShardEntry]] = [:]
    var synced: Set<Progress.ShardMember> = []
}

extension ShardWorld {
    // MARK: Coordinator

    /// Tells all nodes of an entry, each in its time.
    mutating func announce(_ shard: UInt16, isLate: Bool = false) {
        let entry = coordinator.entries[Int(shard)]
        coordinator.history[shard, default: []].append(entry)
        for node in nodes.indices {
            let isSlow = dice.chance(percent: 20) || (isLate && nodes[node].id != entry.owner)
            agenda.plan(.tell(node: node, shard: shard, entry), at: now + dice.between(1, isSlow ? 3000 : 40))
        }
    }

    mutating func reported(_ progress: Progress, by node: NodeID) {
        for active in progress.active where active.shard < shardCount {
            var entry = coordinator.entries[Int(active.shard)]
            guard entry.epoch == active.epoch, entry.owner == node, !entry.former.isEmpty else { continue }
            entry.former = []
            coordinator.entries[Int(active.shard)] = entry
            announce(active.shard)
        }
        for member in progress.synced { coordinator.synced.insert(member) }
    }

    private func isUp(_ id: NodeID) -> Bool { nodes.contains { $0.id == id && $0.isUp } }

    private func mayOwn(_ id: NodeID) -> Bool { nodes.contains { $0.id == id && $0.isUp && $0.isTrusted } }

    /// Gives a shard to a live replica, another one if that is wanted.
    mutating func reassign(_ shard: UInt16, away: Bool, isLate: Bool = false) {
        var entry = coordinator.entries[Int(shard)]
        let live = entry.replicas.filter(mayOwn)
        guard let first = live.first(where: { !away || $0 != entry.owner }) ?? live.first else { return }
        entry.epoch += 1
        entry.replicas = [first] + entry.replicas.filter { $0 != first }
        coordinator.entries[Int(shard)] = entry
        announce(shard, isLate: isLate)
    }

    /// Another node is to have a copy: it learns first, and takes a replica's place when it is in step.
    mutating func move(_ shard: UInt16) {
        var entry = coordinator.entries[Int(shard)]
        guard entry.former.isEmpty, let owner = entry.owner, isUp(owner) else { return }
        if let learner = entry.learners.first {
            let report = Progress.ShardMember(shard: shard, epoch: entry.epoch, member: learner)
            guard coordinator.synced.contains(report) else { return }
            entry.former = entry.replicas
            entry.replicas[Int(dice.below(Int64(entry.replicas.count)))] = learner
            entry.learners = []
        } else {
            let others = nodes.map(\.id).filter { !entry.replicas.contains($0) && isUp($0) }
            guard let chosen = others.first else { return }
            entry.learners = [chosen]
        }
        entry.epoch += 1
        coordinator.entries[Int(shard)] = entry
        announce(shard)
    }

    // MARK: Nemesis

    mutating func trouble() {
        guard !isCalm else { return }
        agenda.plan(.trouble, at: now + dice.between(50, 2500))
        let node = Int(dice.below(Int64(nodes.count)))
        let shard = UInt16(dice.below(Int64(shardCount)))
        switch dice.below(10) {
        case 0, 1, 2: crash(node)
        case 3:
            if let owner = coordinator.entries[Int(shard)].owner, let at = nodes.firstIndex(where: { $0.id == owner }) {
                crash(at)
            }
        case 4, 5: if aimsAtPromises { split(shard) } else { reassign(shard, away: true) }
        case 6, 7: move(shard)
        case 8:
            cuts.insert(node * 8 + Int(dice.below(Int64(nodes.count))))
            if cuts.count > 3 { cuts = [] }
        default:
            cuts = []
            lossPercent = dice.chance(percent: 50) ? 0 : dice.between(0, 15)
        }
    }

    /// The old owner of a shard hears neither of the new one nor from it.
    private mutating func split(_ shard: UInt16) {
        let old = coordinator.entries[Int(shard)].owner
        reassign(shard, away: true, isLate: true)
        guard let before = nodes.firstIndex(where: { $0.id == old }),
            let after = nodes.firstIndex(where: { $0.id == coordinator.entries[Int(shard)].owner }), before != after
        else { return }
        cuts = [before * 8 + after, after * 8 + before]
    }

    mutating func crash(_ node: Int) {
        crash(node, down: dice.chance(percent: 50) ? dice.between(1, 30) : dice.between(100, 6000))
    }

    mutating func crash(_ node: Int, down: Int64) {
        guard nodes[node].isUp else { return }
        crashes += 1
        nodes[node].isUp = false
        let losesDisk = dice.chance(percent: 25) && mayLoseDisk(node)
        if losesDisk { nodes[node].isTrusted = false }
        agenda.plan(.restart(node: node, losesDisk: losesDisk), at: now + down)
        let id = nodes[node].id
        for shard in 0..<shardCount where coordinator.entries[Int(shard)].owner == id && down > 500 {
            if dice.chance(percent: 70) { reassign(shard, away: true) }
        }
    }

    /// Fewer than W copies may be lost for good, until the lost ones have been made again.
    private func mayLoseDisk(_ node: Int) -> Bool {
        guard nodes.count >= 3, nodes.allSatisfy(\.isTrusted) else { return false }
        return nodes.allSatisfy { $0.isUp || $0.id == nodes[node].id }
            && (0..<shardCount).allSatisfy { shard in
                let entry = coordinator.entries[Int(shard)]
                guard let owner = nodes.first(where: { $0.id == entry.owner }), entry.former.isEmpty else {
                    return false
                }
                return entry.replicas.allSatisfy { id in
                    id == owner.id || owner.set.isInStep(shard, id)
                }
            }
    }

    mutating func restart(_ node: Int, losesDisk: Bool) {
        if losesDisk { nodes[node].disk = [:] }
        nodes[node].restart(settings: settings)
        let id = nodes[node].id
        let tells = dice.chance(percent: 50)
        for other in nodes.indices where other != node && nodes[other].isUp && tells {
            let generation = nodes[node].generation
            turn(other) { set, _, now, _ in set.peerChanged(id, generation: generation, now: now) }
        }
        for shard in 0..<shardCount {
            // The node has the placement that it had on disk; the coordinator sees the new generation later.
            if let entry = nodes[node].entries[shard] {
                turn(node) { set, batch, now, effects in
                    set.place(shard, entry, batch: batch, now: now, into: &effects)
                }
            }
            if coordinator.entries[Int(shard)].owner == id {
                reassign(shard, away: dice.chance(percent: 30))
            } else {
                agenda.plan(
                    .tell(node: node, shard: shard, coordinator.entries[Int(shard)]),
                    at: now + dice.between(1, aimsAtPromises ? 2000 : 200))
            }
        }
    }

    /// Trust comes back when every owner has the node in step.
    mutating func restoreTrust() {
        for node in nodes.indices where !nodes[node].isTrusted && nodes[node].isUp {
            let id = nodes[node].id
            let isWhole = (0..<shardCount).allSatisfy { shard in
                nodes[node].set.isValid(shard)
                    || !(coordinator.entries[Int(shard)].replicas + coordinator.entries[Int(shard)].former).contains(id)
            }
            if isWhole { nodes[node].isTrusted = true }
        }
    }

    mutating func heal() {
        isCalm = true
        aimsAtPromises = false
        cuts = []
        lossPercent = 0
        diskMilliseconds = 8
        for node in nodes.indices where !nodes[node].isUp { restart(node, losesDisk: false) }
        for shard in 0..<shardCount { reassign(shard, away: false) }
        checks.quietFrom = now + 30_000
    }

    // MARK: End

    mutating func checkEnd() {
        for shard in 0..<shardCount {
            let entry = coordinator.entries[Int(shard)]
            guard let owner = nodes.first(where: { $0.id == entry.owner }), owner.set.isActive(shard) else {
                return checks.broken("shard \(shard) is not served in the end: \(entry)")
            }
            if !entry.former.isEmpty { return checks.broken("shard \(shard) was not confirmed") }
            for id in entry.replicas + entry.learners {
                guard let member = nodes.first(where: { $0.id == id }) else { continue }
                guard member.set.digest(shard) == owner.set.digest(shard) else {
                    return checks.broken(
                        "I18: \(member.id.low) differs from owner \(owner.id.low) in shard \(shard): "
                            + "\(member.set.digest(shard)) \(owner.set.digest(shard))")
                }
                for key in 0..<UInt8(keyCount)
                where member.set.row(shard, kind: Self.kind, key: [key])
                    != owner.set.row(shard, kind: Self.kind, key: [key])
                {
                    return checks.broken("I19: row \(key) of shard \(shard) differs")
                }
            }
        }
    }
}
