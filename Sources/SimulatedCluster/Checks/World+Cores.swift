internal import Cluster
internal import Wire

/// What the cores themselves must agree on when everything has come to rest.
extension World {
    mutating func checkCores() {
        guard nodes.count > 1, violation == nil else { return }
        checkCoordinator()
        checkViews()
        checkZones()
        for shard in shards where violation == nil { checkShard(shard) }
    }

    /// I6: one coordinator, and everybody has applied what it has.
    private mutating func checkCoordinator() {
        let first = nodes[0]
        for node in nodes.indices {
            let here = nodes[node]
            guard let leader = here.core.coordinatorID, leader == first.core.coordinatorID else {
                return fail(.coordinatorReturns, node, "there is no coordinator that all know")
            }
            guard here.core.stateIndex == first.core.stateIndex else {
                return fail(
                    .coordinatorReturns, node,
                    "it has applied \(here.core.stateIndex) entries, another \(first.core.stateIndex)")
            }
            guard here.core.state == first.core.state else {
                let found = difference(here.core.state, first.core.state)
                return fail(
                    .stateMachineSafety, node, "its \(found) at entry \(here.core.stateIndex) are other than n1's")
            }
        }
    }

    private func difference(_ left: ClusterState, _ right: ClusterState) -> String {
        if left.members != right.members { return "members" }
        if left.channels != right.channels { return "channels" }
        return left.placement.entries != right.placement.entries ? "shards" : "counts"
    }

    /// I7, I9 and I10: everybody lives in everybody's eyes, in the generation that runs, and is a member.
    private mutating func checkViews() {
        for node in nodes.indices {
            for other in nodes.indices {
                let me = nodes[other].core.member
                let row = nodes[node].core.member(me.id)
                guard row?.state == .alive, row?.member.incarnation.generation == me.incarnation.generation else {
                    return fail(.viewsAgree, node, "it thinks that \(me.name) is \(row?.state.name ?? "unknown")")
                }
                guard let known = nodes[node].core.state.members[me.id], !known.isRemoved else {
                    return fail(.healthyStay, node, "\(me.name) is no member although it lives")
                }
                guard known.generation == me.incarnation.generation else {
                    return fail(.restartIsSeen, node, "the run of \(me.name) is not the one that lives")
                }
            }
        }
    }

    /// I11: when nothing moves any more no two replicas of a shard are in one zone, where there are zones enough.
    private mutating func checkZones() {
        guard let leader, nodes[leader].core.isPlacementAtRest else { return }
        let state = nodes[leader].core.state
        let counted = nodes[leader].core.placementCandidates
        let zones = state.zones(of: counted)
        guard zones.count > 1 else { return }
        report.zonesAtRest += 1
        for shard in shards {
            let replicas = state.placement[shard].replicas
            guard zones.count >= replicas.count, replicas.allSatisfy(counted.contains),
                state.zones(of: replicas).count < replicas.count
            else { continue }
            return fail(
                .oneOwnerPerEpoch, leader,
                "shard \(shard) has two replicas in a zone, and its \(replicas.count) could be in \(zones.count)")
        }
    }

    /// I11, I18 and liveness of one shard: distinct replicas, an owner that serves, and equal tables.
    private mutating func checkShard(_ shard: UInt16) {
        let entry = nodes[0].core.state.placement[shard]
        guard Set(entry.replicas).count == entry.replicas.count else {
            return fail(.oneOwnerPerEpoch, nil, "shard \(shard) has a replica twice")
        }
        guard let owner = entry.owner, let home = nodes.first(where: { $0.core.record?.id == owner }) else {
            return fail(.liveness, nil, "shard \(shard) has no living owner")
        }
        guard home.core.role(of: shard) == .owner(.active) else {
            return fail(.liveness, home.index, "shard \(shard) is not served: \(home.core.role(of: shard))")
        }
        guard let digest = home.core.digest(of: shard) else { return }
        for replica in nodes where entry.replicas.contains(replica.core.record?.id ?? .none) {
            guard let other = replica.core.digest(of: shard), other != digest else { continue }
            return fail(
                .replicasAgree, replica.index,
                "shard \(shard): \(other.count) rows at (\(other.watermark.epoch), \(other.watermark.count)),"
                    + " its owner has \(digest.count) at (\(digest.watermark.epoch), \(digest.watermark.count))")
        }
    }

    // MARK: Disks that are lost for good

    /// A disk is lost for good: only one at a time, and only when everything that was lost before was made up for.
    mutating func loseDisk(_ node: Int) {
        guard nodes.count >= 3, nemesis.disksToLose > 0 else { return }
        guard isWhole else {
            if time < options.chaosMilliseconds - 3_000 { plan(.fault(.loseDisk(node)), after: 1_500) }
            return
        }
        nemesis.disksToLose -= 1
        wipe(node)
    }

    /// Whether every shard has all its copies in step, and every voter has the whole log.
    var isWhole: Bool {
        guard nodes.allSatisfy(\.isUp) else { return false }
        let first = nodes[0]
        guard first.core.voters.count == Seat.voters(of: nodes.count),
            nodes.allSatisfy({ $0.core.stateIndex == first.core.stateIndex && $0.core.voters == first.core.voters })
        else { return false }
        let copies = min(3, nodes.count)
        let homes = Dictionary(uniqueKeysWithValues: nodes.map { ($0.core.record?.id ?? .none, $0) })
        return shards.allSatisfy { shard in
            let entry = first.core.state.placement[shard]
            guard entry.replicas.count == copies, entry.former.isEmpty, let owner = entry.owner.flatMap({ homes[$0] }),
                owner.core.role(of: shard) == .owner(.active)
            else { return false }
            return entry.replicas.dropFirst().allSatisfy { replica in
                homes[replica]?.core.isValid(shard) ?? false && owner.core.isInStep(shard, replica)
            }
        }
    }
}
