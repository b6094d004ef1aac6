import Delivery
public import Wire

extension ShardSet {
    /// What this node is for a shard.
    public func role(_ shard: UInt16) -> ShardRole {
        guard shard <= Shard.registry else { return .none }
        let held = shards[Int(shard)]
        if let stage = held.stage { return .owner(stage) }
        if held.entry.replicas.contains(me) { return .replica }
        return held.entry.learners.contains(me) ? .learner : .none
    }

    /// The epoch that the placement gave to a shard; 0: none yet.
    public func epoch(_ shard: UInt16) -> UInt64 { shard <= Shard.registry ? shards[Int(shard)].epoch : 0 }

    /// The highest epoch that this node has promised for a shard.
    public func promised(_ shard: UInt16) -> UInt64 { shard <= Shard.registry ? shards[Int(shard)].promised : 0 }

    /// Whether this node serves a shard.
    public func isActive(_ shard: UInt16) -> Bool {
        shard <= Shard.registry && shards[Int(shard)].stage == .active
    }

    /// Whether a shard that is owned here began with less than was committed, by an operator's word.
    func isPartial(_ shard: UInt16) -> Bool { shard <= Shard.registry && shards[Int(shard)].isPartial }

    /// Up to where the table of a shard is complete.
    public func watermark(_ shard: UInt16) -> ShardVersion {
        shard <= Shard.registry ? shards[Int(shard)].table.watermark : .zero
    }

    /// The epoch that was opened here for a shard, and the change that it begins on; nil when this node has not come so
    /// far.
    func opened(_ shard: UInt16) -> (epoch: UInt64, base: ShardVersion)? {
        guard shard <= Shard.registry, shards[Int(shard)].isOpen else { return nil }
        return (shards[Int(shard)].epoch, shards[Int(shard)].table.base)
    }

    /// Up to where the tombstones of a shard are forgotten.
    func purged(_ shard: UInt16) -> ShardVersion { shard <= Shard.registry ? shards[Int(shard)].table.purge : .zero }

    /// The newest change of an open shard that is on W replicas; zero when there is none.
    func committed(_ shard: UInt16) -> ShardVersion {
        guard shard <= Shard.registry, shards[Int(shard)].isOpen, shards[Int(shard)].committed > 0 else { return .zero }
        return ShardVersion(epoch: shards[Int(shard)].epoch, count: shards[Int(shard)].committed)
    }

    /// Whether the table of a shard counts when a new owner reads.
    public func isValid(_ shard: UInt16) -> Bool { shard <= Shard.registry && shards[Int(shard)].table.isValid }

    /// Whether another member gets every change of a shard that is owned here, and has some durably.
    public func isInStep(_ shard: UInt16, _ node: NodeID) -> Bool {
        guard shard <= Shard.registry, let place = knownPeer(node) else { return false }
        return shards[Int(shard)].members.contains { $0.peer == place && $0.isInStep }
    }

    /// Count and hash of a shard's rows at its watermark.
    public func digest(_ shard: UInt16) -> ShardDigest {
        let table = shards[Int(min(shard, Shard.registry))].table
        return ShardDigest(
            shard: shard, watermark: table.watermark, count: UInt32(truncatingIfNeeded: table.rows.count),
            hash: table.hash)
    }

    /// The rows of a shard that have a value, for the core that is to own it. In an order that means nothing.
    public func rows(of shard: UInt16) -> [ShardRow] {
        guard shard <= Shard.registry else { return [] }
        return shards[Int(shard)].table.rows.compactMap { $0.value == nil ? nil : $0.travelling }
    }

    /// One row, tombstones among them; nil when there is none.
    public func row(_ shard: UInt16, kind: UInt8, key: [UInt8]) -> ShardRow? {
        guard shard <= Shard.registry else { return nil }
        return shards[Int(shard)].table.row(ShardTable.Name(kind: kind, key: key))?.travelling
    }

    /// Rows of all shards, tombstones among them.
    public var rowCount: Int { shards.reduce(0) { $0 + $1.table.rows.count } }

    /// Tombstones of all shards.
    public var tombstoneCount: Int { shards.reduce(0) { $0 + $1.table.tombstoneCount } }

    /// About what the rows of all shards take in memory.
    public var byteCount: Int { shards.reduce(0) { $0 + $1.table.byteCount } }

    /// Shards that are placed here and not served yet.
    public var closedCount: Int {
        shards.indices.count { shards[$0].stage != nil && shards[$0].stage != .active }
    }

    /// Shards that are served here.
    public var activeCount: Int { shards.indices.count { shards[$0].stage == .active } }

    /// How many copies make a change of a shard committed.
    public func copiesNeeded(_ shard: UInt16) -> Int {
        shard <= Shard.registry ? shards[Int(shard)].entry.copiesNeeded : 0
    }
}
