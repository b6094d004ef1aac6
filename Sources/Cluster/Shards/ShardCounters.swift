/// What happened to the shards of a node, since its start.
public struct ShardCounters: Hashable, Sendable {
    /// Messages or parts of them about shards that do not exist.
    public var unknownShards: UInt64 = 0
    /// Messages of earlier runs of a peer.
    public var staleMessages: UInt64 = 0
    /// Writes to shards that are not active here.
    public var writesDropped: UInt64 = 0
    /// Sections of copies taken.
    public var sectionsTaken: UInt64 = 0
    /// Sections of copies refused.
    public var sectionsRefused: UInt64 = 0
    /// Streams of copies that were begun again because something was lost or the peer stayed silent.
    public var streamsLost: UInt64 = 0
    /// Pieces of rows sent.
    public var piecesSent: UInt64 = 0
    /// Pieces of rows that did not fit or came too late.
    public var piecesDropped: UInt64 = 0
    /// Whole shards sent.
    public var wholeTransfers: UInt64 = 0
    /// Take-overs that were completed.
    public var activations: UInt64 = 0
    /// Owners that learned of a higher epoch.
    public var fenced: UInt64 = 0
    /// Digests that differed.
    public var digestsDiffered: UInt64 = 0
    /// Tombstones forgotten.
    public var tombstonesDropped: UInt64 = 0
}
