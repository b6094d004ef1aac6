/// What a node found when it started or took shards over.
public struct RecoverySummary: Hashable, Sendable {
    /// Shards that were adopted.
    public var shards = 0
    /// Names with a record.
    public var records = 0
    /// Of these: the newest event was not settled, so it is sent again.
    public var unsettled = 0
    /// Of the settled: sent within the last minute by another owner, so sent again quietly.
    public var reasserted = 0
    /// Of the unsettled: with an alert that may have been heard, so it is sent without it.
    public var quieted = 0
    /// Important events that waited beside a newer one.
    public var importants = 0
    /// Push-to-start events that may have been sent and are not sent again.
    public var startsUnknown = 0
    /// Starts on devices that are remembered.
    public var starts = 0
    /// Tokens in quarantine.
    public var tokensQuarantined = 0
    /// Registered tokens.
    public var tokens = 0
    /// Tokens that were registered and had not yet been sent the state.
    public var tokensBehind = 0
    /// Channels in use.
    public var channels = 0
    /// Channels whose creation or deletion was under way.
    public var channelsPending = 0
    /// Rows that could not be read.
    public var rowsUnreadable = 0

    /// All zero.
    public init() {}

    /// Adds what another adoption found.
    public mutating func add(_ other: RecoverySummary) {
        shards += other.shards
        records += other.records
        unsettled += other.unsettled
        reasserted += other.reasserted
        quieted += other.quieted
        importants += other.importants
        startsUnknown += other.startsUnknown
        starts += other.starts
        tokensQuarantined += other.tokensQuarantined
        tokens += other.tokens
        tokensBehind += other.tokensBehind
        channels += other.channels
        channelsPending += other.channelsPending
        rowsUnreadable += other.rowsUnreadable
    }
}
