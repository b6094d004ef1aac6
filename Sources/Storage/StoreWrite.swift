/// One change: the newest value of a key, or its removal. The store knows nothing of what either means.
public struct StoreWrite: Sendable, Hashable {
    /// What kind of thing the key names; kinds do not share keys.
    public var kind: UInt8
    /// The key's bytes; may be empty.
    public var key: [UInt8]
    /// The value's bytes, which may be none; nil removes the key.
    public var value: [UInt8]?

    /// Makes a change.
    public init(kind: UInt8, key: [UInt8], value: [UInt8]?) {
        self.kind = kind
        self.key = key
        self.value = value
    }
}

/// Changes that are kept together or not at all.
///
/// Batches stand on top of each other: after one that could not be written the store refuses all others, also those
/// that wait already, until one comes that holds the lost changes again.
public struct StoreBatch: Sendable, Hashable {
    /// The submitter's number, by which it is reported; must grow from batch to batch.
    public var number: UInt64
    /// The changes in order: the last one of a key wins.
    public var writes: [StoreWrite]
    /// It holds everything again that was refused: writing goes on from here.
    public var isRetry: Bool

    /// Makes a batch.
    public init(number: UInt64, writes: [StoreWrite], isRetry: Bool = false) {
        self.number = number
        self.writes = writes
        self.isRetry = isRetry
    }
}
