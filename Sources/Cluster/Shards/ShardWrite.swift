/// A change that the owner of a shard makes.
public struct ShardWrite: Hashable, Sendable {
    /// 0…4096.
    public var shard: UInt16
    /// `StoredKind`'s number.
    public var kind: UInt8
    /// The row's key within kind and shard.
    public var key: [UInt8]
    /// The new value; nil deletes the row.
    public var value: [UInt8]?

    /// Makes a change.
    public init(shard: UInt16, kind: UInt8, key: [UInt8], value: [UInt8]?) {
        self.shard = shard
        self.kind = kind
        self.key = key
        self.value = value
    }
}
