/// What a run of the kill test did, as a table.
struct KillReport {
    var kills: [KillMoment: Int] = [:]
    var recoveredUnsettled = 0
    var recoveredQuieted = 0
    var recoveredImportants = 0
    var conflatedSeen = 0
    var seconds = 0.0

    func text(_ plan: KillPlan, seed: UInt64, _ ledger: Ledger.State, sent: UInt64, resent: UInt64, heldBack: Int)
        -> String
    {
        let firsts = ledger.firstAckMilliseconds.sorted()
        let median = firsts.isEmpty ? 0 : firsts[firsts.count / 2]
        let moments = KillMoment.allCases.map { "\($0) \(kills[$0, default: 0])" }.joined(separator: ", ")
        let rows: [(String, String)] = [
            ("seed", "\(seed)"), ("stamp reading", plan.stampReading),
            ("kills", "\(kills.values.reduce(0, +)): \(moments)"),
            ("events handed over", "\(ledger.submitted) in \(Int(seconds)) s, held back \(heldBack)"),
            ("acks", "\(ledger.acks), of them repeated \(ledger.repeated)"),
            ("sent, resent by the client", "\(sent), \(resent)"),
            ("refused", "\(ledger.refusals.count)"), ("conflated, as last seen before each kill", "\(conflatedSeen)"),
            ("recovered unsettled, quieted", "\(recoveredUnsettled), \(recoveredQuieted)"),
            ("first ack after a start, ms", "p50 \(median), max \(firsts.last ?? 0), of \(firsts.count)"),
        ]
        return rows.map { row in
            row.0 + String(repeating: " ", count: max(1, 44 - row.0.count)) + row.1
        }.joined(separator: "\n")
    }
}
