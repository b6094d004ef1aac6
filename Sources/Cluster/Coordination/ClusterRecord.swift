/// What a cluster and a node are, made once and kept: two stored rows.
public struct ClusterRecord: Hashable, Sendable {
    /// Version of the stored form.
    static let layoutVersion: UInt8 = 1
    private static let identityKey = Array("identity".utf8)
    private static let generationKey = Array("generation".utf8)

    /// 16 random bytes made at bootstrap; in every mesh frame, so that two clusters never mix.
    public let identity: [UInt8]
    /// Key of the shard hash, made at bootstrap; unrelated to any secret.
    public let shardSeed: [UInt64]
    /// Distinguishes the runs of this node: grows with every start.
    public private(set) var generation: UInt64

    /// Makes a new cluster from 32 random bytes; nil when there are fewer.
    public init?(randomBytes: [UInt8], wallMilliseconds: Int64) {
        guard randomBytes.count >= 32 else { return nil }
        identity = Array(randomBytes[..<16])
        var reader = RowReader(Array(randomBytes[16..<32]))
        guard let first = reader.long(), let second = reader.long() else { return nil }
        shardSeed = [first, second]
        generation = UInt64(max(1, wallMilliseconds))
    }

    /// Reads the two rows; nil when either is missing or not readable.
    init?(rows: [[UInt8]: [UInt8]]) {
        guard let identityRow = rows[Self.identityKey], let generationRow = rows[Self.generationKey] else { return nil }
        var row = RowReader(identityRow)
        guard row.byte() == Self.layoutVersion, let identity = row.string(limit: 16), identity.count == 16,
            let first = row.long(), let second = row.long(), row.isAtEnd
        else { return nil }
        var counter = RowReader(generationRow)
        guard counter.byte() == Self.layoutVersion, let generation = counter.long(), counter.isAtEnd else { return nil }
        self.identity = identity
        shardSeed = [first, second]
        self.generation = generation
    }

    /// Begins a new run. The generation must be durable before the node speaks to anyone.
    mutating func startRun(wallMilliseconds: Int64) {
        generation = max(generation &+ 1, UInt64(max(0, wallMilliseconds)))
    }

    /// The rows to be stored.
    var writes: [StoreWrite] {
        var row = RowWriter(capacity: 40)
        row.byte(Self.layoutVersion)
        row.string(identity)
        for half in shardSeed { row.long(half) }
        var counter = RowWriter(capacity: 9)
        counter.byte(Self.layoutVersion)
        counter.long(generation)
        return [
            StoreWrite(kind: .cluster, key: Self.identityKey, value: row.bytes),
            StoreWrite(kind: .cluster, key: Self.generationKey, value: counter.bytes),
        ]
    }
}
