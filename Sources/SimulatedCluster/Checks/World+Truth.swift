internal import Cluster
internal import Delivery
internal import Wire

/// What is checked after every turn by looking at all nodes at once.
extension World {
    /// A disk that was lost so short a time ago may have held what somebody counts on, in milliseconds.
    private static var lossIsForgottenAfter: Int64 { 5_000 }

    mutating func inspect(_ node: Int) {
        let home = nodes[node]
        if let problem = checks.states.turned(home.core, on: node) { return fail(problem.0, node, problem.1) }
        inspectLog(home.core, node)
        guard violation == nil else { return }
        var begun: [UInt16] = []
        var purged: [UInt16] = []
        if let problem = checks.copies.turned(home.core, on: node, at: time, begun: &begun, purged: &purged) {
            return fail(problem.0, node, problem.1)
        }
        if let problem = checks.placement.turned(home.core, at: time) { return fail(problem.0, node, problem.1) }
        for shard in begun where violation == nil { serves(node, shard) }
        if !begun.isEmpty || nodes[node].leaseSaidAt == time { checkSole(node) }
        for shard in purged where violation == nil { checkPurge(node, shard) }
    }

    // MARK: The log

    private mutating func inspectLog(_ core: borrowing NodeCore, _ node: Int) {
        let (isFirst, problem) = checks.log.turned(core, on: node)
        if let problem = problem ?? checks.log.elected(core) { return fail(problem.0, node, problem.1) }
        if isFirst { checkDurable(core, node) }
        if isFirst, checks.log.newest.term < core.term, core.isLeader { overhearEarlierTerm(node) }
        guard core.isLeader, core.possibleVoters.count > 1 else { return }
        if let problem = checks.log.overlap(nodes) { fail(problem.0, node, problem.1) }
    }

    /// I5: what is committed lies on the disks of a majority of the voters.
    private mutating func checkDurable(_ core: borrowing NodeCore, _ node: Int) {
        let (index, term, _) = checks.log.newest
        let sets = core.possibleVoters.map(\.voters)
        let isEnough = sets.contains { set in
            set.count { holds($0, index, term) } > set.count / 2
        }
        guard !isEnough else { return }
        fail(
            .acceptedSurvives, node,
            "entry \(index) of term \(term) is committed and not on the disks of a majority of the voters")
    }

    private func holds(_ voter: NodeID, _ index: UInt64, _ term: UInt64) -> Bool {
        if let lostAt = lostIdentities[voter], lostAt > time - Self.lossIsForgottenAfter { return true }
        guard let home = nodeIndex(of: voter) else { return false }
        let disk = nodes[home].disk
        return disk.snapshotIndex >= index || disk.logTerm(at: index) == term
    }

    // MARK: Shards

    /// A coordinator takes a shard away from its owner: that one has let go of it, or its lease is over by its own
    /// clock.
    mutating func checkPlacing(_ entries: [LogEntry], by coordinator: Int) {
        for entry in entries where entry.kind == .command && checks.log.isNew(entry) {
            for command in ClusterCommand.decode(entry.payload) ?? [] {
                switch command {
                case .place(let list):
                    for item in list where checks.copies.isWatched(item.shard) { checkPlacing(item, by: coordinator) }
                case .remove(let id): checkRemoval(id, by: coordinator)
                default: break
                }
            }
        }
    }

    /// I7: only who has lost its disk or has left is removed.
    private mutating func checkRemoval(_ id: NodeID, by coordinator: Int) {
        guard lostIdentities[id] == nil, let node = nodeIndex(of: id), !nodes[node].leaves else { return }
        fail(.healthyStay, coordinator, "removes \(Seat.name(node)), which has neither left nor lost its disk")
    }

    private mutating func checkPlacing(_ item: PlacedShard, by coordinator: Int) {
        checkNewcomers(item, by: coordinator)
        if Set(item.entry.replicas).count < item.entry.replicas.count {
            return fail(.oneOwnerPerEpoch, coordinator, "gives shard \(item.shard) a replica twice")
        }
        guard let owner = nodes[coordinator].core.state.placement[item.shard].owner, owner != item.entry.owner,
            let node = nodeIndex(of: owner), nodes[node].isUp,
            nodes[node].core.role(of: item.shard) == .owner(.active)
        else { return }
        let now = nodes[node].now(time).bootMilliseconds
        guard now < nodes[node].leaseUntil else { return }
        let rest = nodes[node].leaseUntil - now
        fail(
            .versionsAreUnique, coordinator,
            "gives shard \(item.shard) to another node, and the lease of \(Seat.name(node)), who serves it, has"
                + " \(rest) ms to run")
    }

    /// Who becomes a replica has a copy. Where only one of two is left the place is filled first.
    private mutating func checkNewcomers(_ item: PlacedShard, by coordinator: Int) {
        let former = nodes[coordinator].core.state.placement[item.shard]
        guard former.replicas.count > 2, !scheme.lostShards.contains(item.shard) else { return }
        for replica in item.entry.replicas where !former.replicas.contains(replica) {
            guard let node = nodeIndex(of: replica), nodes[node].core.watermark(of: item.shard).epoch < former.epoch
            else { continue }
            return fail(
                .acknowledgedIsCopied, coordinator,
                "makes \(Seat.name(node)) a replica of shard \(item.shard) in the place of one that has a copy; it has"
                    + " none of epoch \(former.epoch)")
        }
    }

    /// A node serves a shard from now on: the epoch lies on W replicas.
    private mutating func serves(_ node: Int, _ shard: UInt16) {
        guard let opened = nodes[node].core.opened(shard) else { return }
        let entry = nodes[node].core.state.placement[shard]
        guard entry.epoch == opened.epoch else { return }
        let begin = ShardVersion(epoch: opened.epoch, count: 1)
        let copies = entry.replicas.count { replica in
            guard let home = nodeIndex(of: replica) else { return true }
            return nodes[home].core.watermark(of: shard) >= begin
                || nodes[home].lostAt > time - Self.lossIsForgottenAfter
        }
        guard copies < entry.copiesNeeded else { return }
        fail(
            .acknowledgedIsCopied, node,
            "it serves epoch \(opened.epoch) of shard \(shard), which is open on \(copies) of \(entry.copiesNeeded)"
                + " copies")
    }

    /// I13: of the nodes that serve a shard one at most has a lease by its own clock, whatever they have heard.
    private mutating func checkSole(_ node: Int) {
        guard mayServe(node) else { return }
        for shard in checks.copies.watched where nodes[node].core.role(of: shard) == .owner(.active) {
            for other in nodes.indices where other != node && mayServe(other) {
                guard nodes[other].core.role(of: shard) == .owner(.active) else { continue }
                return fail(
                    .versionsAreUnique, node,
                    "it serves shard \(shard), and so does \(Seat.name(other)): both have a lease")
            }
        }
    }

    private func mayServe(_ node: Int) -> Bool {
        nodes[node].isUp && nodes[node].now(time).bootMilliseconds < nodes[node].core.leaseUntil
    }

    /// I19: a deleted row is forgotten only when every replica has passed its deletion; the life of tombstones is
    /// longer than a world.
    private mutating func checkPurge(_ node: Int, _ shard: UInt16) {
        let purge = nodes[node].core.purged(of: shard)
        for replica in nodes[node].core.state.placement[shard].replicas {
            guard let home = nodeIndex(of: replica), nodes[home].lostAt < time - Self.lossIsForgottenAfter,
                nodes[home].core.watermark(of: shard) < purge, nodes[home].core.watermark(of: shard) != .zero
            else { continue }
            return fail(
                .deletedStaysDeleted, node,
                "forgets deletions of shard \(shard) up to \(CopyChecks.text(purge)), and \(Seat.name(home)) is at"
                    + " \(CopyChecks.text(nodes[home].core.watermark(of: shard)))")
        }
    }

    // MARK: Healed

    /// I6: some seconds after everything works again there is one coordinator.
    mutating func checkLeader() {
        guard nodes.count > 1, leader == nil else { return }
        fail(.coordinatorReturns, nil, "nobody coordinates 5 s after everything works again")
    }

    // MARK: Restarts

    /// In which time everybody hears of a restart, in milliseconds, and what clocks of the wrong rate may add.
    static var seenMilliseconds: Int64 { 2_040 }

    /// I10: when nothing was in the way since a node came back, all others know by now that it runs, and as which run.
    /// Those that started at the same time had the same time for it.
    mutating func checkSeen(_ node: Int) {
        guard network.weather.isCalm, disturbedUntil <= nodes[node].startedAt,
            nodes.allSatisfy({ $0.isUp && $0.startedAt <= nodes[node].startedAt })
        else { return }
        report.restartsSeen += 1
        let me = nodes[node].core.member
        // Who is no member any more, or not yet, is not spoken to.
        guard nodes[node].core.state.members[me.id]?.isRemoved == false else { return }
        for other in nodes.indices where other != node {
            guard let id = nodes[other].core.record?.id, nodes[node].core.state.members[id]?.isRemoved == false else {
                continue
            }
            let row = nodes[other].core.member(me.id)
            guard row?.state != .alive || row?.member.incarnation.generation != me.incarnation.generation else {
                continue
            }
            let text = row.map { "\($0.state.name), run \($0.member.incarnation.generation)" } ?? "unknown"
            return fail(
                .restartIsSeen, other,
                "\(me.name) came back \(time - nodes[node].startedAt) ms ago as run \(me.incarnation.generation),"
                    + " undisturbed, and is \(text) here")
        }
    }

    // MARK: Lanes

    /// I23: nothing is chosen any more of a shard that has gone to another node, once the sending loop has heard so.
    mutating func checkPlace(_ node: Int, _ producer: Int) {
        guard let leftAt = checks.copies.leftAt(node, shardNumber(ofProducer: producer)) else { return }
        guard nodes[node].mailReadBeforeChoice > leftAt else { return }
        fail(
            .leaseBeforeWrite, node,
            "writes to APNs for name \(producer), whose shard went away \(time - leftAt) ms ago")
    }

    // MARK: Leases

    /// I10: a lease is for a run of a node that the log knows, because with it the epochs of its shards have grown.
    mutating func checkGrant(_ request: UInt64, to node: Int, by coordinator: Int) {
        checkClock(of: node, grantedBy: coordinator)
        guard checks.leases.hasAsked(node, request), let record = nodes[node].core.record,
            let known = nodes[coordinator].core.state.members[record.id]?.generation, known < record.generation
        else { return }
        fail(.restartIsSeen, coordinator, "gives a lease to a run of \(Seat.name(node)) that the log does not know")
    }

    /// I23: a node whose clock is far off the others' gets no lease.
    private mutating func checkClock(of node: Int, grantedBy coordinator: Int) {
        let offset = clockOffset(node)
        guard abs(offset) > Self.clockOffMilliseconds, nodes[node].startedAt < time - Self.measuredAfter,
            nodes[coordinator].startedAt < time - Self.measuredAfter, let id = nodes[node].core.record?.id,
            nodes[coordinator].core.clockOffset(of: id) != nil
        else { return }
        fail(
            .leaseBeforeWrite, coordinator,
            "gives a lease to \(Seat.name(node)), whose clock is off by \(offset) ms")
    }

    /// Beyond the rule's 2 s and whatever may go wrong in measuring.
    private static var clockOffMilliseconds: Int64 { 4_000 }
    /// Clocks that were never compared are not known to be off.
    private static var measuredAfter: Int64 { 10_000 }

    private func clockOffset(_ node: Int) -> Int64 {
        let walls = nodes.map { $0.now(time).wallMilliseconds }
        return walls[node] - walls.sorted()[walls.count / 2]
    }
}
