import Codes

/// Rules about times, which are seconds since 1970 everywhere inside `aps`.
extension PayloadRules {
    /// From here on a number of seconds would lie in the year 5138: it is milliseconds (Docs/APNs.md 4.8).
    private static var millisecondsFrom: Double { 1e11 }

    mutating func checkTimestamp(_ bytes: Span<UInt8>) {
        let member = visitor[.timestamp]
        guard let kind = member.kind else {
            if let offset = visitor.rootTimestamp {
                add(.timestampMisplaced, .error, at: offset, "timestamp")
            } else if inspector.requireTimestamp {
                addMissing(.timestampMissing, .error, .timestamp)
            }
            return
        }
        guard kind.isNumber else { return addMissing(.timestampType, .error, .timestamp) }
        let seconds = number(member, bytes)
        guard seconds < Self.millisecondsFrom else { return add(.timestampMilliseconds, .error, .timestamp) }
        report.producerTimestampSeconds = whole(seconds)
        report.timestampOffset = member.spelled.lowerBound
        let ahead = seconds - Double(nowSeconds)
        if ahead > Double(PayloadInspector.futureToleranceSeconds) {
            add(.timestampFuture, .warning, .timestamp, "aps.timestamp lies \(Int64(ahead)) s ahead of the clock")
        }
    }

    mutating func checkDates(_ bytes: Span<UInt8>) {
        if let stale = date(.staleDate, bytes) {
            report.staleDateSeconds = whole(stale)
            if stale < Double(nowSeconds) { add(.staleInPast, .warning, .staleDate) }
        }
        if let dismissal = date(.dismissalDate, bytes) {
            report.dismissalDateSeconds = whole(dismissal)
            if let event = report.event, event != .end {
                add(.dismissalOnNonEnd, .warning, .dismissalDate)
            } else if dismissal > Double(nowSeconds + PayloadInspector.dismissalSecondsMax) {
                add(.dismissalBeyond4h, .warning, .dismissalDate)
            }
        }
        if let kind = visitor[.relevanceScore].kind, !kind.isNumber {
            addMissing(.relevanceType, .error, .relevanceScore)
        }
    }

    /// The date in seconds; nil when it is missing or was reported as wrong.
    private mutating func date(_ key: ApsKey, _ bytes: Span<UInt8>) -> Double? {
        let member = visitor[key]
        guard let kind = member.kind else { return nil }
        guard kind.isNumber else {
            addMissing(kind == .null ? .dateNull : .dateType, .error, key)
            return nil
        }
        let seconds = number(member, bytes)
        guard seconds < Self.millisecondsFrom else {
            add(.dateMilliseconds, .error, key)
            return nil
        }
        return seconds
    }

    /// The number; what is above the range of its type is as large as can be, with its sign.
    func number(_ member: ApsMember, _ bytes: Span<UInt8>) -> Double {
        if member.kind == .integer, let value = JSONText.integer(bytes, member.value) { return Double(value) }
        if let value = JSONText.double(bytes, member.value) { return value }
        return bytes[member.value.lowerBound] == 0x2D ? -.infinity : .infinity
    }

    /// Rounded down; by conversion, as `rounded` would need the C library. Nil when far out of any calendar.
    private func whole(_ seconds: Double) -> Int64? {
        guard seconds.magnitude < 1e15 else { return nil }
        let whole = Int64(seconds)
        return Double(whole) > seconds ? whole - 1 : whole
    }
}
