/// A change of one row of a shard's table.
public struct ShardWrite: Hashable, Sendable {
    /// 0…4096; 4096 is the registry.
    public let shard: UInt16
    /// What the row holds: a `StoredKind`.
    public let kind: UInt8
    /// Identifies the row within shard and kind.
    public let key: [UInt8]
    /// The new value; nil deletes the row.
    public let value: [UInt8]?

    /// Makes a write; nil deletes.
    public init(shard: UInt16, kind: UInt8, key: [UInt8], value: [UInt8]?) {
        self.shard = shard
        self.kind = kind
        self.key = key
        self.value = value
    }
}
