import Wire

@testable import Cluster

/// What must hold after every entry of the log, and in the end.
extension CoordinatorWorld {
    mutating func check(from old: ClusterState) {
        guard old.placement.version != state.placement.version else { return }
        for change in state.placement.changes(since: old.placement) {
            let before = old.placement[change.shard]
            places += 1
            checkEpochs(change.shard, before, change.entry)
            if before.epoch != change.entry.epoch {
                checkOwner(change.shard, before, change.entry)
                checkSets(change.shard, before, change.entry)
            }
            follow(change.shard, change.entry)
        }
    }

    private mutating func problem(_ shard: UInt16, _ text: String) {
        problems.append("\(time) ms: shard \(shard): \(text)")
    }

    /// I11: epochs grow, one owner for each, replicas distinct.
    private mutating func checkEpochs(_ shard: UInt16, _ before: ShardEntry, _ after: ShardEntry) {
        if after.epoch < before.epoch { problem(shard, "epoch went back") }
        if Set(after.replicas).count != after.replicas.count { problem(shard, "replicas not distinct") }
        guard let owner = after.owner else { return problem(shard, "nobody owns it") }
        if let known = owners[shard], known.epoch == after.epoch, known.owner != owner {
            problem(shard, "two owners in epoch \(after.epoch)")
        }
        owners[shard] = (after.epoch, owner)
    }

    /// Nobody is given a shard while its owner may still act for it.
    private mutating func checkOwner(_ shard: UInt16, _ before: ShardEntry, _ after: ShardEntry) {
        guard let old = before.owner, old != after.owner, let node = nodes[old], node.isUp else { return }
        if node.lease.isHeld(at: time), node.released[shard] != before.epoch {
            problem(shard, "reassigned while the lease of its owner runs")
        }
    }

    /// I12's rules: former kept, newcomers in step.
    private mutating func checkSets(_ shard: UInt16, _ before: ShardEntry, _ after: ShardEntry) {
        let added = after.learners.filter { !before.learners.contains($0) && !before.replicas.contains($0) }
        if shard != Shard.registry { copiesBegun += added.count }
        guard !before.replicas.isEmpty, !lost.contains(shard) else { return }
        let isRescue =
            before.replicas.count == 2
            && before.replicas.contains { !(nodes[$0]?.isUp ?? false) || nodes[$0]?.silentSince != nil }
            && after.replicas.first == before.replicas.first
        if Set(after.replicas) == Set(before.replicas) {
            if after.former != before.former, !isRescue { problem(shard, "former changed without its replicas") }
            return
        }
        if !isRescue {
            if !before.former.isEmpty { problem(shard, "replicas changed before the last change was confirmed") }
            for member in after.replicas where !before.replicas.contains(member) {
                if learning[shard]?[member].map({ time - $0 >= 300 }) ?? false { continue }
                problem(shard, "a replica that is not in step")
            }
        }
        if after.former != before.replicas, !(isRescue && after.former == [before.replicas[0]]) {
            problem(shard, "former replicas forgotten")
        }
    }

    private mutating func follow(_ shard: UInt16, _ entry: ShardEntry) {
        var learners = learning[shard] ?? [:]
        for member in entry.learners where learners[member] == nil { learners[member] = time }
        learners = learners.filter { entry.learners.contains($0.key) || entry.replicas.contains($0.key) }
        learning[shard] = learners
    }

    /// Leases are for the generation that the state knows, and for clocks that are right.
    mutating func checkLease(_ id: NodeID) {
        guard let node = nodes[id] else { return }
        if state.members[id]?.generation != node.member.incarnation.generation {
            problems.append("\(time) ms: a lease for a generation that is not in the log")
        }
        if abs(node.clockOffset) > settings.clockOffMaxMilliseconds, time - node.clockSince > 1000 {
            problems.append("\(time) ms: a lease for a clock that is off")
        }
    }

    // MARK: In the end

    /// Whether everything is as it should be when nothing happens any more.
    var unsettled: String? {
        let living = up.filter { nodes[$0].map { !$0.isCut && $0.member.weight > 0 } ?? false }
        let wanted = min(3, living.count)
        for (index, entry) in state.placement.entries.enumerated() {
            guard let owner = entry.owner else { return "shard \(index) has no owner" }
            if !living.contains(owner) { return "shard \(index) is owned by nobody who lives" }
            if nodes[owner]?.lease.isHeld(at: time) != true { return "an owner has no lease" }
            if entry.replicas.count != wanted || !entry.replicas.allSatisfy(living.contains) {
                return "shard \(index) has replicas \(entry.replicas.map(\.high)) of \(living.map(\.high))"
            }
            if !entry.former.isEmpty { return "shard \(index) has former replicas" }
            if index < Int(Shard.count), !entry.learners.isEmpty { return "shard \(index) has learners" }
        }
        return unevenness(living)
    }

    private func unevenness(_ living: [NodeID]) -> String? {
        let entries = state.placement.entries.dropLast()
        let copies = living.map { node in entries.count { $0.replicas.contains(node) } }
        let owned = living.map { node in entries.count { $0.owner == node } }
        if (copies.max() ?? 0) - (copies.min() ?? 0) > 1 { return "copies are uneven: \(copies)" }
        if (owned.max() ?? 0) - (owned.min() ?? 0) > 1 { return "owners are uneven: \(owned)" }
        let others = Set(living).subtracting(state.placement[Shard.registry].replicas)
        return others == Set(state.placement[Shard.registry].learners).intersection(living)
            ? nil : "the registry is not everywhere"
    }
}
