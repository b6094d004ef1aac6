import Cluster
import Wire

/// A node of the world of shards: a set, a disk whose batches become durable in order, and what waits for them.
struct ShardWorldNode {
    struct Row: Hashable {
        var kind: UInt8
        var key: [UInt8]
    }

    struct Batch {
        var number: UInt64
        var writes: [StoreWrite]
        var held: [(message: ReplicationMessage, to: NodeID)]
    }

    let id: NodeID
    var generation: UInt64 = 1
    var isUp = true
    /// Whether the disk has lost what it had since the node was last in step everywhere.
    var isTrusted = true
    var set: ShardSet
    var disk: [Row: [UInt8]] = [:]
    var underWay: [Batch] = []
    var openBatch: UInt64 = 1
    var openWrites: [StoreWrite] = []
    var openHeld: [(message: ReplicationMessage, to: NodeID)] = []
    /// When the last batch becomes durable.
    var diskFreeAt: Int64 = 0
    /// What the node was told of the placement.
    var entries: [UInt16: ShardEntry] = [:]
    /// Its writes to a shard that are not committed, with their batch.
    var waiting: [UInt16: [(batch: UInt64, change: ShardWorldChange)]] = [:]

    init(id: NodeID, settings: ShardSettings) {
        self.id = id
        set = ShardSet(settings: settings, me: id, generation: 1)
        set.finishRestore()
    }

    /// Begins again with what is on disk.
    mutating func restart(settings: ShardSettings) {
        generation += 1
        isUp = true
        set = ShardSet(settings: settings, me: id, generation: generation)
        for (row, value) in disk.sorted(by: {
            ($0.key.kind, $0.key.key.description) < ($1.key.kind, $1.key.key.description)
        }) {
            guard let kind = StoredKind(rawValue: row.kind) else { continue }
            _ = set.restore(kind: kind, key: row.key, value: value)
        }
        set.finishRestore()
        if !isTrusted {
            for write in set.distrust() { disk[Row(kind: write.kind.rawValue, key: write.key)] = write.value }
        }
        underWay = []
        openWrites = []
        openHeld = []
        waiting = [:]
    }

    mutating func makeDurable(_ batch: Batch) {
        for write in batch.writes { disk[Row(kind: write.kind.rawValue, key: write.key)] = write.value }
    }

    /// The durable row of a shard: its version and value; nil when there is none.
    func durable(_ shard: UInt16, kind: UInt8, key: [UInt8]) -> (version: ShardVersion, value: [UInt8]?)? {
        let name = Row(kind: kind, key: [UInt8(shard >> 8), UInt8(shard & 255)] + key)
        guard let bytes = disk[name], bytes.count >= 17 else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        return (
            ShardVersion(epoch: number(0..<8), count: number(8..<16)), bytes[16] == 1 ? Array(bytes[17...]) : nil
        )
    }
}

/// A change that some owner made.
struct ShardWorldChange: Hashable {
    var version: ShardVersion
    var key: [UInt8]
    var value: [UInt8]?
}
