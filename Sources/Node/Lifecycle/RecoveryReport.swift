internal import Cluster
internal import Telemetry

/// What a node found on its disk, as it says it in the log.
public struct RecoveryReport: Sendable, Hashable {
    /// Names with a record.
    public let records: Int
    /// Of these, newest events that were not settled and are sent again.
    public let unsettled: Int
    /// Of the unsettled, those sent again without their alert because it may have been heard.
    public let quieted: Int
    /// Channels in use.
    public let channels: Int
    /// Registered tokens.
    public let tokens: Int
    /// Rows that could not be read and were left out.
    public let unreadable: Int
    /// How long reading took.
    public let milliseconds: Int64

    init(_ summary: RecoverySummary, milliseconds: Int64) {
        records = summary.records
        unsettled = summary.unsettled
        quieted = summary.quieted
        channels = summary.channels
        tokens = summary.tokens
        unreadable = summary.rowsUnreadable
        self.milliseconds = milliseconds
    }

    var fields: LogFields {
        [
            "records": .count(records), "unsettled": .count(unsettled), "quieted": .count(quieted),
            "channels": .count(channels), "tokens": .count(tokens), "rows.unreadable": .count(unreadable),
            "duration_ms": .integer(milliseconds),
        ]
    }
}
