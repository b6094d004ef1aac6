/// Writes a snapshot in the Prometheus text format 0.0.4. Pure.
public enum PrometheusText {
    /// Upper bounds of histogram buckets for durations, in nanoseconds: those suggested for messaging by
    /// OpenTelemetry's semantic conventions, and three finer ones below.
    static let durationBounds: [Int64] = [
        500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 75_000_000, 100_000_000,
        250_000_000, 500_000_000, 750_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 7_500_000_000,
        10_000_000_000,
    ]
    /// Upper bounds for sizes, in bytes.
    static let sizeBounds: [Int64] = [256, 512, 1024, 2048, 4096, 5120, 8192, 16384, 65536, 1_048_576]

    /// The whole page. Families in the order of declaration, series likewise.
    public static func render(_ snapshot: MetricSnapshot) -> String {
        var page = ""
        for family in snapshot.families where !family.series.isEmpty {
            page += "# HELP \(family.name) \(escapedHelp(family.help))\n# TYPE \(family.name) \(family.kind.rawValue)\n"
            for index in family.series { append(index, family, snapshot, to: &page) }
        }
        return page
    }

    private static func append(
        _ index: Int, _ family: MetricRegistry.Family, _ snapshot: MetricSnapshot, to page: inout String
    ) {
        let labels = snapshot.series[index].labels
        switch family.kind {
        case .counter: page += "\(family.name)\(braces(labels)) \(snapshot.value(Counter(index: index)))\n"
        case .gauge: page += "\(family.name)\(braces(labels)) \(snapshot.value(Gauge(index: index)))\n"
        case .histogram: append(snapshot.value(Histogram(index: index)), family.name, labels, to: &page)
        }
    }

    private static func append(
        _ histogram: LatencyHistogram, _ name: String, _ labels: [MetricLabel], to page: inout String
    ) {
        let seconds = name.hasSuffix("_seconds")
        for bound in seconds ? durationBounds : sizeBounds {
            let border = seconds ? decimal(nanoseconds: UInt64(bound)) : String(bound)
            let all = labels + [MetricLabel("le", border)]
            page += "\(name)_bucket\(braces(all)) \(histogram.count(upTo: bound))\n"
        }
        page += "\(name)_bucket\(braces(labels + [MetricLabel("le", "+Inf")])) \(histogram.count)\n"
        let sum = seconds ? decimal(nanoseconds: histogram.sum) : String(histogram.sum)
        page += "\(name)_sum\(braces(labels)) \(sum)\n\(name)_count\(braces(labels)) \(histogram.count)\n"
    }

    private static func braces(_ labels: [MetricLabel]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escapedValue($0.value))\"" }.joined(separator: ",") + "}"
    }

    /// Seconds without exponent and without trailing zeros.
    static func decimal(nanoseconds: UInt64) -> String {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        guard rest > 0 else { return String(whole) }
        var digits = String(rest)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    private static func escapedHelp(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "\\" ? "\\\\" : $1 == "\n" ? "\\n" : String($1) }
    }

    private static func escapedValue(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1 == "\\" ? "\\\\" : $1 == "\n" ? "\\n" : $1 == "\"" ? "\\\"" : String($1) }
    }
}
