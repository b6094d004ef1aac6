import Telemetry

/// What `latency` shows: a row for each kind of trouble.
struct LatencyTable {
    /// One row.
    struct Row {
        let name: String
        var seconds = 0.0
        var pings = PingFigures()
        var megabytesPerSecond = 0.0
        var acksPerSecond = 0.0
        var ackMilliseconds = 0.0
        /// What else is worth saying.
        var note = ""

        init(_ name: String) { self.name = name }
    }

    private var table = FigureTable(
        "latency",
        [
            "while", "seconds", "pings", "unanswered", "p50 ms", "p99 ms", "max ms", "above 50 ms", "MB/s", "acks/s",
            "ack p50 ms", "shards taken over", "leases ended", "suspicions", "elections",
        ])
    /// The largest p99 of all rows.
    private(set) var worstMilliseconds = 0.0
    /// Lines below the table.
    var notes: [String] = []

    /// Adds a row.
    mutating func add(_ row: Row) {
        let histogram = row.pings.histogram
        func milliseconds(_ share: Double) -> Double { Double(histogram.percentile(share)) / 1000 }
        worstMilliseconds = max(worstMilliseconds, milliseconds(0.99))
        table.add(
            [.text(row.name)]
                + [
                    row.seconds, Double(histogram.count), Double(row.pings.unanswered), milliseconds(0.5),
                    milliseconds(0.99), milliseconds(1), Double(histogram.count - histogram.count(upTo: 50_000)),
                    row.megabytesPerSecond, row.acksPerSecond, row.ackMilliseconds, Double(row.pings.takeOvers),
                    Double(row.pings.leasesEnded), Double(row.pings.suspicions), Double(row.pings.elections),
                ].map { .number($0) })
        if !row.note.isEmpty { notes.append("\(row.name): \(row.note)") }
    }

    /// Writes it to standard output.
    func show(json: Bool) {
        var table = table
        table.notes = notes + ["three nodes and the producer on this machine, CURVE", ProcessFigures.machine]
        table.show(json: json)
    }
}
