internal import Cluster
internal import Delivery
internal import Wire

/// The documents that admins may ask for.
extension CoreLoop {
    /// Writes the document that a query is about.
    func document(_ subject: DocumentQuery.Subject, now: Moment) -> [UInt8] {
        switch subject {
        case .status: statusDocument(now: now)
        case .shards(let target): shardsDocument(of: target, now: now)
        case .trace(let id): trace.document(of: id.bytes, node: nodeName)
        }
    }

    private func shardsDocument(of target: Target?, now: Moment) -> [UInt8] {
        let rows = (0...Shard.registry).map { shard in
            let entry = core.state.placement[shard]
            return ShardsDocument.Row(
                shard: shard, epoch: entry.epoch, owner: entry.owner.map(name) ?? "",
                replicas: entry.replicas.map(name), state: ShardsDocument.State(core, shard))
        }
        let stuck = StuckGroup.groups(core.stuckShards(now: now), describe)
        let document = ShardsDocument(
            node: nodeName, seedIsKnown: core.charter != nil, rows: rows,
            stuck: core.coordinatorID == core.record?.id ? stuck : nil)
        return document.bytes(keyShard: target.flatMap { core.shard(of: $0.name) })
    }

    /// The same for somebody whose copy may be missed: a node that was removed may have left its name to another one.
    func describe(_ id: NodeID) -> String {
        core.state.members[id]?.isRemoved ?? true ? name(of: id) + " (removed)" : name(of: id)
    }

    /// What people call a node; its ID when nobody knows.
    func name(of id: NodeID) -> String {
        core.state.members[id]?.member.name ?? core.member(id)?.member.name ?? "\(id)"
    }
}

extension ShardsDocument.State {
    init(_ core: borrowing NodeCore, _ shard: UInt16) {
        switch core.role(of: shard) {
        case .none: self = .elsewhere
        case .learner, .replica: self = core.isValid(shard) ? .copy : .behind
        case .owner(.active): self = .active
        case .owner(.closed): self = .closed
        case .owner(.asking): self = .waiting
        case .owner: self = .opening
        }
    }
}
