public import Wire

/// Who has which shard: one entry for each of the 4096 shards and one for the registry.
///
/// A value that every node builds from the coordinator's log; nothing else changes it.
public struct Placement: Hashable, Sendable {
    /// The shards and the registry: numbers 0…4096.
    public static let entryCount = Int(Shard.count) + 1
    /// Most replicas of an entry that are read from outside; `former` has as many.
    public static let replicasMax = 8

    /// The entries by shard number.
    public private(set) var entries: [ShardEntry]
    /// Grows with every change of an entry.
    public private(set) var version: UInt64

    /// Nobody has anything.
    public init() {
        entries = Array(repeating: ShardEntry(), count: Self.entryCount)
        version = 0
    }

    /// The entry of a shard; the entry that nobody has for numbers above 4096.
    public subscript(shard: UInt16) -> ShardEntry {
        Int(shard) < entries.count ? entries[Int(shard)] : ShardEntry()
    }

    /// The owner of a shard; nil when nobody has it. Without a copy of the entry: asked for every request.
    public func owner(of shard: UInt16) -> NodeID? {
        Int(shard) < entries.count ? entries[Int(shard)].replicas.first : nil
    }

    /// Replaces an entry; false, and nothing happens, when the shard does not exist or the epoch does not grow.
    mutating func place(_ shard: UInt16, _ entry: ShardEntry) -> Bool {
        guard Int(shard) < entries.count, entry.epoch > entries[Int(shard)].epoch else { return false }
        entries[Int(shard)] = entry
        version += 1
        return true
    }

    /// The owner serves this epoch: the replicas before it need not be read any more.
    mutating func confirm(_ shard: UInt16, epoch: UInt64) -> Bool {
        guard Int(shard) < entries.count, entries[Int(shard)].epoch == epoch, !entries[Int(shard)].former.isEmpty else {
            return false
        }
        entries[Int(shard)].former = []
        version += 1
        return true
    }

    /// The owner runs in a new generation: it must take its shards over from its former self. Returns which.
    mutating func restart(owner: NodeID) -> [UInt16] {
        let shards = owned(by: owner)
        for shard in shards { entries[Int(shard)].epoch += 1 }
        version += UInt64(shards.count)
        return shards
    }

    // MARK: Questions

    /// The shards that a node owns, the registry among them, in ascending order.
    public func owned(by node: NodeID) -> [UInt16] {
        shards { $0.owner == node }
    }

    /// The shards of which a node is a replica or the owner, in ascending order.
    public func replicated(on node: NodeID) -> [UInt16] {
        shards { $0.replicas.contains(node) }
    }

    /// The shards of which a node gets copies as replica, owner or learner, in ascending order.
    public func copied(to node: NodeID) -> [UInt16] {
        shards { $0.replicas.contains(node) || $0.learners.contains(node) }
    }

    private func shards(where holds: (ShardEntry) -> Bool) -> [UInt16] {
        entries.indices.filter { holds(entries[$0]) }.map { UInt16($0) }
    }

    /// The entries that differ from an older table's.
    public func changes(since older: Placement) -> [PlacedShard] {
        entries.indices.filter { entries[$0] != older.entries[$0] }
            .map { PlacedShard(shard: UInt16($0), entry: entries[$0]) }
    }

    // MARK: Stored form

    /// Version, then all entries: about 70 kB for three replicas.
    func write(into row: inout RowWriter) {
        row.long(version)
        PlacedShard.write(
            entries.indices.map { PlacedShard(shard: UInt16($0), entry: entries[$0]) }, into: &row)
    }

    /// Reads the stored form; nil when the bytes are none.
    init?(from row: inout RowReader) {
        guard let version = row.long(), let placed = PlacedShard.read(from: &row), placed.count == Self.entryCount
        else { return nil }
        self.init()
        self.version = version
        for (index, item) in placed.enumerated() {
            guard Int(item.shard) == index else { return nil }
            entries[index] = item.entry
        }
    }
}
