/// What a metric measures over time.
public enum MetricKind: String, Sendable {
    /// Only grows, until the process ends.
    case counter
    /// A level that goes up and down.
    case gauge
    /// A distribution.
    case histogram
}

/// One time series: a family's name and one combination of label values. Cheap to copy and to pass between threads.
///
/// The phantom types `Counter`, `Gauge` and `Histogram` keep kinds apart.
public struct Metric<Kind>: Sendable, Hashable {
    let index: Int
}

/// Marks a series that only grows.
public enum CounterKind {}
/// Marks a series that is set.
public enum GaugeKind {}
/// Marks a series of distributions.
public enum HistogramKind {}

/// A series that only grows.
public typealias Counter = Metric<CounterKind>
/// A series that is set; the values of all recorders are added.
public typealias Gauge = Metric<GaugeKind>
/// A series of durations in nanoseconds (names ending in `_seconds`) or of sizes (names ending in `_bytes`).
public typealias Histogram = Metric<HistogramKind>

/// The rules that names keep (the naming practices of prometheus.io). Pure.
enum MetricName {
    /// Labels whose values have no bound, or are secret.
    private static let forbiddenLabels: Set<String> = ["token", "activity", "channel", "channel_id", "key", "event"]

    /// What is wrong with a family; empty when nothing is.
    static func problems(name: String, kind: MetricKind, labels: [String]) -> [String] {
        var problems: [String] = []
        if !isIdentifier(name) { problems.append("\(name): not lower-case words joined by _") }
        if !name.hasPrefix("carillon_") && !name.hasPrefix("process_") {
            problems.append("\(name): begins with neither carillon_ nor process_")
        }
        if (kind == .counter) != name.hasSuffix("_total") {
            problems.append("\(name): counters, and only they, end in _total")
        }
        if kind == .histogram && !name.hasSuffix("_seconds") && !name.hasSuffix("_bytes") {
            problems.append("\(name): a histogram ends in its base unit, _seconds or _bytes")
        }
        for unit in ["_ms", "_milliseconds", "_microseconds", "_nanoseconds", "_kilobytes", "_minutes"]
        where name.hasSuffix(unit) || name.hasSuffix(unit + "_total") {
            problems.append("\(name): \(unit) is no base unit")
        }
        for label in labels {
            if !isIdentifier(label) { problems.append("\(name): label \(label) is not lower-case words joined by _") }
            if forbiddenLabels.contains(label) { problems.append("\(name): label \(label) has no bound") }
        }
        return problems
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
        }
    }
}
