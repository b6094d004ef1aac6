/// What a run showed, a line of the table.
struct FaultReport {
    let scenario: FaultScenario
    let plan: FaultPlan
    let ledger: FaultLedger.State
    let heldBack: Int

    /// The columns of `line`.
    static let header =
        "events acked | refused | longest time without an ack | gap between two acceptances of a key: p50 p99 max | "
        + "served again after: p50 p99 last"

    var line: String {
        let gaps = ledger.entries.map(\.gapMilliseconds)
        let served = ledger.entries.compactMap(\.servedAfterMilliseconds)
        let acked = ledger.results - ledger.refusals.count
        return "\(scenario.rawValue): \(acked) | \(ledger.refusals.count), held back \(heldBack) | "
            + "\(ledger.worstAckMilliseconds) ms | \(Self.figures(gaps)) | \(Self.figures(served))"
    }

    private static func figures(_ values: [Int64]) -> String {
        let sorted = values.sorted()
        guard let last = sorted.last else { return "none" }
        func at(_ share: Double) -> Int64 { sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
        return "\(at(0.5)) \(at(0.99)) \(last) ms"
    }
}
