/// What consensus is tuned by. Durations are milliseconds since boot of the node's own clock.
public struct ConsensusSettings: Hashable, Sendable {
    /// How long a voter waits for a coordinator before it stands for election, drawn anew each time. The lower bound is
    /// also how long a voter that has heard of a coordinator gives nobody else its vote, and the coordinator's own
    /// lease.
    public var electionMilliseconds: ClosedRange<Int64> = 600...1200
    /// Time between two heartbeats of the coordinator; well below the shortest election time-out.
    public var heartbeatMilliseconds: Int64 = 150
    /// Most entries of one message.
    public var entriesPerMessage = 256
    /// Most payload bytes of one message; one entry always fits.
    public var entryBytesMax = 256 << 10
    /// Messages with entries on the way to one member.
    public var inflightMessagesMax = 16
    /// Bytes of one piece of a snapshot.
    public var snapshotPieceBytes = 65_536
    /// Largest snapshot that is taken from a coordinator, in bytes.
    public var snapshotBytesMax = 64 << 20
    /// Entries that may wait to be committed; `propose` refuses more.
    public var logEntriesMax = 1_024
    /// Payload bytes that may wait to be committed; `propose` refuses more.
    public var logBytesMax = 16 << 20
    /// Entries kept in memory behind the newest snapshot, so that a member that is a little behind needs no snapshot.
    public var keptEntriesMax = 256
    /// Payload bytes kept behind the newest snapshot.
    public var keptBytesMax = 1 << 20
    /// How far behind the end of the log a learner may be to become a voter, in entries.
    public var inStepEntries: UInt64 = 64
    /// A fault to be found by the simulation; nil in every real node.
    public var mutant: Mutant?

    /// The defaults.
    public init() {}

    /// How long after it sent a heartbeat that a majority answered the coordinator may still be sure of itself: the
    /// shortest election time-out less a tenth for clocks that run at different rates.
    var leaseMilliseconds: Int64 { electionMilliseconds.lowerBound * 9 / 10 }
}
