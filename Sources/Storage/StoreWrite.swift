/// One row to be written: the newest value of (kind, key) wins.
public struct StoreWrite: Sendable, Hashable {
    /// Separates the key spaces; its meaning is the caller's.
    public var kind: UInt8
    /// The key; any bytes.
    public var key: [UInt8]
    /// The value; nil deletes.
    public var value: [UInt8]?

    /// Makes a write; nil deletes.
    public init(kind: UInt8, key: [UInt8], value: [UInt8]?) {
        self.kind = kind
        self.key = key
        self.value = value
    }
}

/// Rows that become durable together.
public struct StoreBatch: Sendable, Hashable {
    /// The caller's number; grows from batch to batch.
    public var number: UInt64
    /// The rows, later ones winning over earlier ones of the same key.
    public var writes: [StoreWrite]

    /// Makes a batch.
    public init(number: UInt64, writes: [StoreWrite]) {
        self.number = number
        self.writes = writes
    }
}
