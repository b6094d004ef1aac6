internal import Codes
internal import LiveActivity
internal import SimulatedAPNs

/// What a `fault` command changes; what it does not name stays as it is.
struct FaultChange {
    private let value: JSONValue
    private let reason: Reason?
    private let goAwayReason: Reason?
    private let sabotage: Faults.Sabotage?
    private let counts: [String: Int]

    private static let countNames = [
        "unanswered_one_in", "refused_one_in", "cut_after", "streams", "goaway_after", "goaway_lag", "burst",
        "retry_after_s", "reorder_ms", "lost_one_in",
        "delay_ms",
    ]

    init(_ members: ControlMembers) throws(Fault) {
        value = members.value
        var counts: [String: Int] = [:]
        for name in Self.countNames where members.value[name] != nil { counts[name] = try members.count(name) }
        self.counts = counts
        reason = try Self.reason(members, "burst_reason")
        goAwayReason = try Self.reason(members, "goaway_reason")
        sabotage =
            try members.value["sabotage"]?.string.map { name throws(Fault) in
                guard name != "none" else { return nil }
                guard let sabotage = Faults.Sabotage(rawValue: name) else {
                    throw Fault(.simulatorCommand, "drop-last, reorder, double-ring or none", at: "sabotage")
                }
                return sabotage
            } ?? nil
    }

    private static func reason(_ members: ControlMembers, _ name: String) throws(Fault) -> Reason? {
        guard let text = members.value[name]?.string else { return nil }
        guard let reason = Reason(rawValue: text) else {
            throw Fault(.simulatorCommand, "no reason of APNs: \(text.prefix(40))", at: name)
        }
        return reason
    }

    func apply(to faults: inout Faults, delay: inout Int64) {
        if value["clear"]?.bool == true {
            faults = Faults()
            delay = 0
        }
        if let count = counts["unanswered_one_in"] { faults.unansweredOneIn = count }
        if let count = counts["refused_one_in"] { faults.refusedOneIn = count }
        if let count = counts["cut_after"] { faults.cutAfter = count }
        if let count = counts["streams"] { faults.streams = count }
        if let count = counts["goaway_after"] { faults.goAwayAfter = count }
        if let count = counts["goaway_lag"] { faults.goAwayLag = count }
        if let count = counts["burst"] { faults.burstRemaining = count }
        if let count = counts["retry_after_s"] { faults.burstRetryAfterSeconds = count }
        if let count = counts["reorder_ms"] { faults.reorderMilliseconds = Int64(count) }
        if let count = counts["lost_one_in"] { faults.lostOneIn = count }
        if let count = counts["delay_ms"] { delay = Int64(count) }
        if let reason { faults.burstReason = reason }
        if let goAwayReason { faults.goAwayReason = goAwayReason }
        if value["sabotage"] != nil { faults.sabotage = sabotage }
    }
}
