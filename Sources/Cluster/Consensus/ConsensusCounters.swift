/// What consensus counts, from the start of the process.
public struct ConsensusCounters: Hashable, Sendable {
    /// Elections that this node stood in; trials are not counted.
    public var elections: UInt64 = 0
    /// Elections that it won.
    public var electionsWon: UInt64 = 0
    /// Times it stopped leading because it heard too few voters.
    public var quorumsLost: UInt64 = 0
    /// Votes given to others.
    public var votesGiven: UInt64 = 0
    /// Requests for a vote that came while a leader was known.
    public var votesIgnored: UInt64 = 0
    /// Entries that this node made.
    public var proposed: UInt64 = 0
    /// Proposals that were refused: not leading, too large, or too much waits.
    public var proposalsRefused: UInt64 = 0
    /// Entries committed.
    public var committed: UInt64 = 0
    /// Entries that were cut off because another leader's took their place.
    public var truncated: UInt64 = 0
    /// Appends that this node refused because they did not follow what it has.
    public var appendsRejected: UInt64 = 0
    /// Entries that were not taken because too many wait to be committed.
    public var entriesOverflown: UInt64 = 0
    /// Snapshots taken from a leader.
    public var snapshotsInstalled: UInt64 = 0
    /// Snapshots that were refused for their size.
    public var snapshotsOverflown: UInt64 = 0
    /// Messages that no correct member sends.
    public var illegal: UInt64 = 0
    /// Answers of nodes that are neither voter nor learner.
    public var fromStrangers: UInt64 = 0
    /// Messages of terms that are over.
    public var outdated: UInt64 = 0

    /// All zero.
    public init() {}
}
