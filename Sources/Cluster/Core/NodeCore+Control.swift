import Codes
import Delivery
import Wire

/// The control plane: who may speak, and which part hears it.
extension NodeCore {
    mutating func control(
        _ message: ControlMessage, _ header: MeshHeader, now: Moment, into effects: inout [NodeEffect]
    ) {
        guard let record, header.sender != record.id else { return }
        guard header.target == .none || header.target == record.id else { return counters.misaddressed += 1 }
        if header.target == record.id, header.targetGeneration != 0, header.targetGeneration != record.generation {
            counters.misaddressed += 1
            membership?.wronglyAddressed(header, into: &membershipEffects)
            return
        }
        noteCluster(of: header)
        if case .membership(let message) = message {
            membership?.handle(message, header, now: now, into: &membershipEffects)
            greet(header, now: now, into: &effects)
            return
        }
        if case .coordination(.charter(let charter)) = message, self.charter == nil {
            guard charter.name == settings.clusterName, charter.cluster == header.cluster else { return }
            adopt(charter, now: now, into: &effects)
            return effects.append(.clusterNotice(.joined(cluster: charter.cluster)))
        }
        guard let charter, header.cluster == charter.cluster, !isOutdated(header) else {
            return counters.misaddressed += 1
        }
        switch message {
        case .membership: break
        case .consensus(let message):
            consensus?.handle(message, from: header.sender, now: now.bootMilliseconds, into: &consensusEffects)
        case .coordination(let message): hear(message, header, now: now, into: &effects)
        }
    }

    /// Whether the sender's run is over: a newer one has been heard of.
    func isOutdated(_ header: MeshHeader) -> Bool {
        guard let known = membership?.row(header.sender)?.member.incarnation.generation else { return false }
        return header.generation < known
    }

    private mutating func noteCluster(of header: MeshHeader) {
        guard clusterOf[header.sender] != nil || clusterOf.count < settings.membership.membersMax else { return }
        clusterOf[header.sender] = header.cluster
    }

    /// A node of our cluster's name that belongs to none yet is told what the cluster is.
    private mutating func greet(_ header: MeshHeader, now: Moment, into effects: inout [NodeEffect]) {
        guard let charter, header.cluster == .none, membership?.row(header.sender) != nil else { return }
        send(.coordination(.charter(charter)), to: header.sender, into: &effects)
    }

    mutating func hear(
        _ message: CoordinationMessage, _ header: MeshHeader, now: Moment, into effects: inout [NodeEffect]
    ) {
        switch message {
        case .charter: break
        case .leaseRequest where isDeaf(header): break
        case .leaseRequest, .progress, .waiting:
            let offset = clockOffset(ofAsker: header.sender)
            coordinator?.handle(
                message, header, state: state, lastIndex: consensus?.lastIndex ?? 0, clockOffset: offset,
                hasQuorum: consensus?.hasQuorum(now: now.bootMilliseconds) ?? false, now: now,
                into: &coordinatorEffects)
        case .lease, .leaseRefused, .notCoordinator:
            var answers: [LeaseEffect] = []
            lease?.handle(message, from: header.sender, now: now.bootMilliseconds, into: &answers)
            carryOut(answers, into: &effects)
        case .handOver(let term, let shards):
            guard term == consensus?.term else { return }
            hand(shards)
        case .acceptLoss(let term, let items):
            guard term == consensus?.term else { return }
            for item in items where shards?.epoch(item.shard) == item.epoch { shards?.acceptLoss(item.shard) }
        case .served(let shards): hearServed(shards, now: now)
        case .channelLost(let name):
            guard let key = Key(bytes: name + Key.firstInstance) else { return }
            channel(.lost(key), now: now, into: &effects)
        case .tokenRefused(let kind, let app, let address, let fault):
            guard let kind = Destination.Kind(rawValue: kind), let app = owner.appIndex[app],
                shards?.isActive(Shard.registry) == true
            else { return }
            let destination = Destination(kind: kind, app: app, address: address)
            handOver(.deviceTokenRefused(destination, TokenFault(rawValue: fault)), now: now, into: &effects)
        }
    }

    /// Whether a node can be heard but has not answered a ping for so long that it is taken for dead: it would not hear
    /// that it has a lease either, and others can serve what it owns.
    private func isDeaf(_ header: MeshHeader) -> Bool {
        guard let row = membership?.row(header.sender), row.state == .dead else { return false }
        return row.member.incarnation.generation == header.generation
    }

    /// How far a node's clock is off the median of all (stamp rule S4), whatever this node's own clock shows.
    private func clockOffset(ofAsker node: NodeID) -> Int64? {
        guard let offset = membership?.clockOffset(of: node), let own = membership?.clockOffsetMilliseconds else {
            return nil
        }
        let limit: Int64 = 1 << 50
        return min(max(offset, -limit), limit) + min(max(own, -limit), limit)
    }

    mutating func replication(
        _ message: ReplicationMessage, _ header: MeshHeader, now: Moment, into effects: inout [NodeEffect]
    ) {
        guard let record, let charter, header.cluster == charter.cluster, header.target == record.id,
            header.targetGeneration == record.generation || header.targetGeneration == 0, !isOutdated(header)
        else { return counters.misaddressed += 1 }
        shards?.handle(
            message, from: header.sender, generation: header.generation, batch: disk.openBatch,
            now: now.bootMilliseconds, into: &shardEffects)
    }

    // MARK: Sending

    /// Sends on the control plane; to itself without the network. Nothing leaves before the generation is durable.
    mutating func send(_ message: ControlMessage, to node: NodeID, into effects: inout [NodeEffect]) {
        if let effect = outgoing(message, to: node) { effects.append(effect) }
    }

    mutating func sendAfterStored(_ message: ControlMessage, to node: NodeID, into effects: inout [NodeEffect]) {
        if let effect = outgoing(message, to: node) { disk.after(effect, into: &effects) }
    }

    private mutating func outgoing(_ message: ControlMessage, to node: NodeID) -> NodeEffect? {
        if node == record?.id {
            loopback.append(message)
            return nil
        }
        guard disk.durableBatch > 0 else { return nil }
        guard let member = membership?.row(node)?.member else {
            counters.unaddressable += 1
            return nil
        }
        return .sendControl(message, to: .member(member))
    }

    mutating func replicate(
        _ message: ReplicationMessage, to node: NodeID, isAfterStored: Bool, into effects: inout [NodeEffect]
    ) {
        guard disk.durableBatch > 0 else { return }
        guard let member = membership?.row(node)?.member else { return counters.unaddressable += 1 }
        let effect = NodeEffect.sendReplication(message, to: member)
        if isAfterStored { disk.after(effect, into: &effects) } else { effects.append(effect) }
    }
}
