/// One row to be written; all rows of a batch become durable together.
public struct StoreWrite: Hashable, Sendable {
    /// What the row holds.
    public let kind: StoredKind
    /// Identifies the row within its kind.
    public let key: [UInt8]
    /// The new value; nil deletes the row.
    public let value: [UInt8]?

    /// Makes a write; nil deletes.
    public init(kind: StoredKind, key: [UInt8], value: [UInt8]?) {
        self.kind = kind
        self.key = key
        self.value = value
    }
}
