/// The stored forms of an alert's intent and of outcomes: small rows beside the record, so that neither rewrites a
/// payload.
enum SmallRows {
    /// Version of both layouts.
    static let layoutVersion: UInt8 = 1

    /// An intent: alerts of events up to `born` may have been handed to APNs.
    static func encodeIntent(born: UInt64) -> [UInt8] {
        var row = RowWriter(capacity: 9)
        row.byte(layoutVersion)
        row.long(born)
        return row.bytes
    }

    /// Reads an intent; nil when the bytes are none.
    static func decodeIntent(_ bytes: [UInt8]) -> UInt64? {
        var row = RowReader(bytes)
        guard row.byte() == layoutVersion, let born = row.long(), row.isAtEnd else { return nil }
        return born
    }

    /// The final outcomes among the recent events, by sequence.
    static func encodeSettlement(_ recent: RecentEvents) -> [UInt8] {
        let settled = recent.entries.filter { $0.outcome.isFinal }
        var row = RowWriter(capacity: 2 + settled.count * 12)
        row.byte(layoutVersion)
        row.byte(UInt8(truncatingIfNeeded: settled.count))
        for entry in settled {
            row.long(entry.sequence)
            row.byte(entry.outcome.code)
            row.string(Array(entry.outcome.reason.utf8.prefix(RecentEvents.reasonBytesMax)))
        }
        return row.bytes
    }

    /// Reads outcomes; nil when the bytes are none.
    static func decodeSettlement(_ bytes: [UInt8]) -> [(sequence: UInt64, outcome: EventOutcome)]? {
        var row = RowReader(bytes)
        guard row.byte() == layoutVersion, let count = row.byte(), count <= RecentEvents.countMax else { return nil }
        var result: [(sequence: UInt64, outcome: EventOutcome)] = []
        for _ in 0..<count {
            guard let sequence = row.long(), let code = row.byte(),
                let reason = row.string(limit: RecentEvents.reasonBytesMax),
                let outcome = EventOutcome(code: code, reason: reason)
            else { return nil }
            result.append((sequence, outcome))
        }
        return row.isAtEnd ? result : nil
    }
}
