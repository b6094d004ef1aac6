import Wire

/// Limits and times of the shards of a node.
public struct ShardSettings: Sendable {
    /// How long a new owner waits before it asks for missing promises again, in milliseconds; it grows tenfold towards
    /// a peer that stays silent.
    public var promiseRetryMilliseconds: Int64 = 200
    /// Aim for the bytes of one piece of rows.
    public var pieceBytes = 65_536
    /// Pieces that may be on their way to one peer.
    public var piecesInFlightPerPeer = 4
    /// Shards of more than one piece that are brought in step with one peer at a time.
    public var shardsSyncingPerPeer = 4
    /// A peer that was silent for so long does not hold up the dropping of tombstones, in milliseconds.
    public var tombstoneMilliseconds: Int64 = 600_000
    /// How often the digests are compared, in milliseconds.
    public var digestMilliseconds: Int64 = 60_000
    /// Bytes of copies that a peer may owe an answer for; above it the peer counts as behind and is caught up later.
    public var copiesBytesMax = 16_777_216
    /// Aim for the bytes of one `copies` message.
    public var messageBytes = ReplicationMessage.copiesBytesWanted
    /// Bytes of rows that are kept until their transfer is complete; above it a transfer is dropped and begins again.
    public var stagedBytesMax = 268_435_456
    /// Changes of a shard whose batches are told apart while they wait to be committed; above it the newest two are
    /// reported as one.
    public var uncommittedMax = 4096
    /// A fault that a simulation wants.
    public var mutant: Mutant?

    /// The defaults.
    public init() {}
}
