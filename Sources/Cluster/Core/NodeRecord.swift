public import Wire

/// What this node is: one stored row. It is made with the data directory and goes with it.
public struct NodeRecord: Hashable, Sendable {
    /// Version of the stored form.
    static let layoutVersion: UInt8 = 1
    static let key = Array("node".utf8)

    /// Who it is, for as long as the directory lives.
    public let id: NodeID
    /// Distinguishes its runs: grows with every start.
    public private(set) var generation: UInt64

    /// Makes a new node from 16 random bytes; nil when there are fewer.
    public init?(randomBytes: ArraySlice<UInt8>, wallMilliseconds: Int64) {
        guard let id = NodeID(bytes: randomBytes.prefix(NodeID.byteCount)), id != .none else { return nil }
        self.id = id
        generation = UInt64(max(1, wallMilliseconds))
    }

    /// Reads the row; nil when it is not readable.
    public init?(row value: [UInt8]) {
        var row = RowReader(value)
        guard row.byte() == Self.layoutVersion, let high = row.long(), let low = row.long(),
            let generation = row.long(), row.isAtEnd
        else { return nil }
        id = NodeID(high: high, low: low)
        self.generation = generation
    }

    /// Begins a new run. The generation must be durable before the node speaks to anyone.
    public mutating func startRun(wallMilliseconds: Int64) {
        generation = max(generation &+ 1, UInt64(max(0, wallMilliseconds)))
    }

    /// The row to be stored.
    public var write: StoreWrite {
        var row = RowWriter(capacity: 25)
        row.byte(Self.layoutVersion)
        row.long(id.high)
        row.long(id.low)
        row.long(generation)
        return StoreWrite(kind: .node, key: Self.key, value: row.bytes)
    }
}
