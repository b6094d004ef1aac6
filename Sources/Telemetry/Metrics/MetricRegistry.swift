internal import Loops

/// Every metric of the process: what exists, and the values that the threads have published.
///
/// Nothing on a data path locks: each thread counts in its own `MetricRecorder` and publishes a copy a few times a
/// second; `snapshot` adds the copies up.
///
/// Threads: any.
public final class MetricRegistry: Sendable {
    /// Most label combinations of one family; further ones are counted in a series whose label values are `other`.
    public static let seriesMax = 256

    struct Family: Sendable {
        var name: String
        var help: String
        var kind: MetricKind
        /// Indices into `series`, in the order of declaration.
        var series: [Int] = []
    }

    struct Series: Sendable {
        var family: Int
        var labels: [MetricLabel]
    }

    private struct State {
        var families: [Family] = []
        var familyByName: [String: Int] = [:]
        var series: [Series] = []
        var seriesByName: [String: Int] = [:]
        var slots: [MetricSlot] = []
    }

    private let state = Lock(State())

    /// Makes an empty registry.
    public init() {}

    /// Declares a counter, or finds it again. Traps on a name that breaks the naming rules: a bug of ours.
    public func counter(_ name: String, help: String, labels: [MetricLabel] = []) -> Counter {
        Counter(index: declare(name, help, .counter, labels))
    }

    /// Declares a gauge, or finds it again.
    public func gauge(_ name: String, help: String, labels: [MetricLabel] = []) -> Gauge {
        Gauge(index: declare(name, help, .gauge, labels))
    }

    /// Declares a histogram, or finds it again.
    public func histogram(_ name: String, help: String, labels: [MetricLabel] = []) -> Histogram {
        Histogram(index: declare(name, help, .histogram, labels))
    }

    /// Makes the recorder of one thread.
    public func recorder() -> sending MetricRecorder {
        let slot = MetricSlot()
        state.withLock { $0.slots.append(slot) }
        return MetricRecorder(slot: slot)
    }

    /// Adds up what all recorders have published.
    public func snapshot() -> MetricSnapshot {
        let (families, series, slots) = state.withLock { ($0.families, $0.series, $0.slots) }
        var total = MetricValues()
        for slot in slots { total.merge(slot.values.withLock { $0 }) }
        return MetricSnapshot(families: families, series: series, values: total)
    }

    private func declare(_ name: String, _ help: String, _ kind: MetricKind, _ labels: [MetricLabel]) -> Int {
        let problems = MetricName.problems(name: name, kind: kind, labels: labels.map(\.name))
        precondition(problems.isEmpty, problems.joined(separator: "; "))
        return state.withLock { state in
            let family = Self.family(name, help, kind, &state)
            var labels = labels
            var identity = Self.identity(name, labels)
            if let known = state.seriesByName[identity] { return known }
            if state.families[family].series.count >= Self.seriesMax {
                labels = labels.map { MetricLabel($0.name, "other") }
                identity = Self.identity(name, labels)
                if let other = state.seriesByName[identity] { return other }
            }
            let index = state.series.count
            state.series.append(Series(family: family, labels: labels))
            state.seriesByName[identity] = index
            state.families[family].series.append(index)
            return index
        }
    }

    private static func family(_ name: String, _ help: String, _ kind: MetricKind, _ state: inout State) -> Int {
        if let known = state.familyByName[name] {
            precondition(state.families[known].kind == kind, "\(name) was declared as another kind")
            return known
        }
        state.families.append(Family(name: name, help: help, kind: kind))
        state.familyByName[name] = state.families.count - 1
        return state.families.count - 1
    }

    private static func identity(_ name: String, _ labels: [MetricLabel]) -> String {
        labels.reduce(name) { $0 + "\u{0}" + $1.name + "\u{0}" + $1.value }
    }
}

/// A label of a series: a word from a small, closed set.
public struct MetricLabel: Sendable, Hashable {
    /// Lower-case words joined by `_`.
    public let name: String
    /// Any text from a small set.
    public let value: String

    /// Makes a label.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The label `stage` with one of the six words.
    public static func stage(_ stage: Stage) -> MetricLabel { MetricLabel("stage", stage.rawValue) }
}
