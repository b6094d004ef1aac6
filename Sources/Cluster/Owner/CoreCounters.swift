/// Counts since the node started, for metrics.
public struct CoreCounters: Hashable, Sendable {
    /// Events accepted into memory.
    public var accepted: UInt64 = 0
    /// Events whose ID was seen before.
    public var repeated: UInt64 = 0
    /// Requests refused, of all kinds.
    public var refused: UInt64 = 0
    /// Of these: because a bound was reached.
    public var overloaded: UInt64 = 0
    /// Events replaced by a newer one before they left the core.
    public var conflated: UInt64 = 0
    /// Records released by Admit.
    public var released: UInt64 = 0
    /// Releases that had to wait for the disk.
    public var pinned: UInt64 = 0
    /// Destinations offered to lanes.
    public var offered: UInt64 = 0
    /// Fresh stamps given to old records.
    public var restamped: UInt64 = 0
    /// Reports from lanes.
    public var reports: UInt64 = 0
    /// Reports that fitted no event in flight.
    public var reportsUnmatched: UInt64 = 0
    /// Events whose following was given up because too many of a name were in flight.
    public var followingDropped: UInt64 = 0
    /// Tokens removed because APNs said that they are dead.
    public var tokensGone: UInt64 = 0
    /// Of these: 410 `Unregistered`.
    public var tokensUnregistered: UInt64 = 0
    /// Of these: 410 `ExpiredToken`.
    public var tokensExpired: UInt64 = 0
    /// Tokens put into quarantine because they belong to the other environment or are no tokens.
    public var tokensWrongEnvironment: UInt64 = 0
    /// Tokens put into quarantine because they belong to another app.
    public var tokensWrongTopic: UInt64 = 0
    /// Tokens replaced by a new one of the same device.
    public var tokensReplaced: UInt64 = 0
    /// Push-to-starts handed to lanes.
    public var startsSent: UInt64 = 0
    /// Starts that were not sent because the device had as many as it may have.
    public var startsLimited: UInt64 = 0
    /// Starts for whose activity no update token came in time.
    public var startsOverdue: UInt64 = 0
    /// Alerts sent to ordinary tokens where no activity could be had.
    public var fallbacks: UInt64 = 0
    /// Starts and dismissals that found no place.
    public var startsDropped: UInt64 = 0
    /// Batches that could not be written.
    public var storeFailures: UInt64 = 0
    /// Ended names forgotten after their time.
    public var forgotten: UInt64 = 0

    /// All zero.
    public init() {}
}
