import Codes
public import Delivery
public import Wire

/// Leases, and what this node does while it is the coordinator.
extension NodeCore {
    /// How often a coordinator that is cut off from APNs looks whether another voter should lead, in milliseconds.
    private static let resignMilliseconds: Int64 = 1_000

    /// Lets everything move on that waits for time.
    mutating func advance(now: Moment, into effects: inout [NodeEffect]) {
        let boot = now.bootMilliseconds
        watchReach(now: now, into: &effects)
        // Nothing is said before the generation is durable, and what would be said is not said again for a second.
        if disk.durableBatch > 0 { membership?.tick(now: now, into: &membershipEffects) }
        tryBootstrap(now: now, into: &effects)
        consensus?.tick(now: boot, into: &consensusEffects)
        shards?.tick(batch: disk.openBatch, now: boot, into: &shardEffects)
        settle(now: now, into: &effects)
        coordinate(now: now, into: &effects)
        askForLease(now: now, into: &effects)
        channels.advance(now: boot, isLeading: coordinatesTerm != nil)
        carryOutChannels(now: now, into: &effects)
    }

    /// Says of this node whether it reaches APNs; the coordinator decides what follows.
    private mutating func watchReach(now: Moment, into effects: inout [NodeEffect]) {
        guard reachWatch.advance(now: now.bootMilliseconds) else { return }
        let isCutOff = reachWatch.isCutOff
        lease?.hurry()
        membership?.describe({ $0.isCutOff = isCutOff }, now: now)
        effects.append(.clusterNotice(.cutOff(isCutOff)))
    }

    // MARK: Role

    /// The leader coordinates from the moment when it has applied an entry of its own term: then its state is the
    /// cluster's.
    mutating func watchRole(now: Moment, into effects: inout [NodeEffect]) {
        guard let consensus else { return }
        if consensus.leader != knownCoordinator {
            knownCoordinator = consensus.leader
            let name = consensus.leader.flatMap { state.members[$0]?.member.name ?? membership?.row($0)?.member.name }
            effects.append(.clusterNotice(.coordinator(name: name, term: consensus.term)))
            shards?.reportAll(into: &shardEffects)
            coordinator?.know(coordinator: consensus.leader)
            lease?.know(coordinator: consensus.leader, now: now.bootMilliseconds)
        }
        let term = consensus.isEstablished ? consensus.term : nil
        guard term != coordinatesTerm else { return }
        if coordinatesTerm != nil {
            coordinator?.end()
            channels.stepDown(into: &effects)
        }
        coordinatesTerm = term
        guard let term else { return }
        coordinator?.begin(term: term, now: now)
        channels.lead(state.channels, appIndex: owner.appIndex)
    }

    private mutating func coordinate(now: Moment, into effects: inout [NodeEffect]) {
        guard coordinatesTerm != nil, let consensus, let charter, let membership else { return }
        resignIfCutOff(now: now)
        coordinator?.tick(
            state: state, view: membership.rows, voters: consensus.voters, charter: charter,
            hasQuorum: consensus.hasQuorum(now: now.bootMilliseconds), now: now, into: &coordinatorEffects)
        settle(now: now, into: &effects)
    }

    /// Who coordinates talks to APNs about channels: a voter that reaches it should, once what this node owned is with
    /// others.
    private mutating func resignIfCutOff(now: Moment) {
        guard reachWatch.isCutOff, now.bootMilliseconds >= resignAt, let consensus, let membership else { return }
        resignAt = now.bootMilliseconds + Self.resignMilliseconds
        guard !state.placement.entries.contains(where: { $0.owner == record?.id }) else { return }
        let heir = consensus.voters.voters.first { voter in
            guard voter != record?.id, let row = membership.row(voter) else { return false }
            return row.state == .alive && !row.member.isDraining && !row.member.isCutOff
        }
        guard let heir else { return }
        self.consensus?.transfer(to: heir, now: now.bootMilliseconds, into: &consensusEffects)
    }

    mutating func settleCoordinator(now: Moment, into effects: inout [NodeEffect]) {
        let wanted = coordinatorEffects
        coordinatorEffects = []
        for effect in wanted {
            switch effect {
            case .propose(let commands):
                _ = consensus?.propose(
                    ClusterCommand.encode(commands), now: now.bootMilliseconds, into: &consensusEffects)
            case .changeVoters(let voters):
                _ = consensus?.changeVoters(voters, now: now.bootMilliseconds, into: &consensusEffects)
            case .send(let message, let node): send(.coordination(message), to: node, into: &effects)
            case .notice(let notice): effects.append(.clusterNotice(notice))
            }
        }
    }

    // MARK: Lease

    private mutating func askForLease(now: Moment, into effects: inout [NodeEffect]) {
        guard let consensus, let membership, charter != nil, disk.durableBatch > 0 else { return }
        var wanted: [LeaseEffect] = []
        let voters = whoMayCoordinate(consensus, membership)
        lease?.tick(
            me: membership.me, voters: voters, wallMilliseconds: now.wallMilliseconds,
            now: now.bootMilliseconds, into: &wanted)
        carryOut(wanted, into: &effects)
        settle(now: now, into: &effects)
    }

    /// Whom to ask who coordinates: the voters. Where none of those that are known lives any more, as for a newcomer
    /// to a cluster whose first voters were all replaced, anybody who lives.
    private func whoMayCoordinate(_ consensus: Consensus, _ membership: Membership) -> [NodeID] {
        let voters = consensus.voters.voters
        guard let me = record?.id, !voters.contains(me) else { return voters }
        func lives(_ row: MemberRow?) -> Bool { row?.state == .alive || row?.state == .suspect }
        guard !voters.contains(where: { lives(membership.row($0)) }) else { return voters }
        return membership.rows.filter { $0.member.id != me && lives($0) }.map(\.member.id)
    }

    mutating func carryOut(_ wanted: [LeaseEffect], into effects: inout [NodeEffect]) {
        for effect in wanted {
            switch effect {
            case .send(let message, let node): send(.coordination(message), to: node, into: &effects)
            case .refused(.removed): handing.noteRemoved()
            case .refused, .renewed: break
            }
        }
    }

    /// Whether versions may be given and records may go to lanes.
    func maySend(now: Moment) -> Bool {
        guard let lease else { return false }
        return settings.mutant == .sendWithoutLease || now.bootMilliseconds < lease.until
    }

    /// Tells the sending loops how long they may send.
    mutating func watchLease(now: Moment, into effects: inout [NodeEffect]) {
        var renewals: [LeaseEffect] = []
        let applied = stateIndex
        lease?.applied(upTo: applied, into: &renewals)
        guard let lease else { return }
        let until = settings.mutant == .sendWithoutLease ? Int64.max : lease.until
        if until != announcedLease {
            announcedLease = until
            effects.append(.lease(untilBootMilliseconds: until))
        }
        let isHeld = now.bootMilliseconds < until
        if isHeld != hadLease {
            hadLease = isHeld
            effects.append(.clusterNotice(.lease(isHeld: isHeld)))
        }
    }

    // MARK: Routing

    /// The shard of a key; nil while the node belongs to no cluster.
    public func shard(of key: Key) -> UInt16? {
        guard let seed = charter?.shardSeed, seed.count == 2 else { return nil }
        return Wire.shard(of: key, seed: (seed[0], seed[1]))
    }

    /// Who answers for a key.
    public func route(_ key: Key, now: Moment) -> Routing {
        guard let shard = shard(of: key) else { return .nowhere(Fault(.shardMoves, "the node has no cluster yet")) }
        return route(shard: shard, now: now)
    }

    /// Who keeps the tokens of devices.
    public func routeRegistry(now: Moment) -> Routing { route(shard: Shard.registry, now: now) }

    private func route(shard: UInt16, now: Moment) -> Routing {
        guard let owner = state.placement.owner(of: shard) else {
            return .nowhere(Fault(.shardMoves, "nobody has shard \(shard) yet"))
        }
        guard owner == record?.id else { return route(to: owner) }
        guard shards?.isActive(shard) == true, self.owner.owns(shard) else {
            return .nowhere(Fault(.shardMoves, "shard \(shard) is being taken over"))
        }
        guard !handing.contains(shard) else {
            return .nowhere(Fault(.shardMoves, "shard \(shard) is being handed over"))
        }
        guard maySend(now: now) else { return .nowhere(Fault(.shardMoves, "the node has no lease")) }
        return .here
    }

    /// Who answers for channels.
    public func routeCoordinator() -> Routing {
        if coordinatesTerm != nil { return .here }
        guard let leader = consensus?.leader, leader != record?.id else {
            return .nowhere(Fault(.shardMoves, "there is no coordinator"))
        }
        return route(to: leader)
    }

    private func route(to node: NodeID) -> Routing {
        guard let row = membership?.row(node), row.state != .dead, row.state != .left else {
            return .nowhere(Fault(.shardMoves, "its node does not answer"))
        }
        return .node(row.member)
    }
}
