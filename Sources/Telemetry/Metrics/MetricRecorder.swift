internal import Loops

/// What one recorder has counted, by series index.
struct MetricValues: Sendable {
    var counters: [UInt64] = []
    var gauges: [Int64] = []
    var histograms: [LatencyHistogram] = []

    mutating func merge(_ other: MetricValues) {
        counters.grow(to: other.counters.count, with: 0)
        gauges.grow(to: other.gauges.count, with: 0)
        histograms.grow(to: other.histograms.count, with: LatencyHistogram())
        for (index, value) in other.counters.enumerated() { counters[index] &+= value }
        for (index, value) in other.gauges.enumerated() { gauges[index] &+= value }
        for (index, value) in other.histograms.enumerated() where value.count > 0 { histograms[index].merge(value) }
    }
}

extension Array {
    mutating func grow(to count: Int, with element: Element) {
        if self.count < count { append(contentsOf: repeatElement(element, count: count - self.count)) }
    }
}

/// Where a recorder leaves its last published copy.
final class MetricSlot: Sendable {
    let values = Lock(MetricValues())
}

/// One thread's own counters: plain additions, no lock, visible to others after `publish`.
///
/// Threads: the one that owns it. Call `publish` a few times a second and before the thread ends; what was published
/// stays in the registry's sums when the recorder is gone.
public final class MetricRecorder {
    private var values = MetricValues()
    private let slot: MetricSlot

    init(slot: MetricSlot) {
        self.slot = slot
    }

    /// Counts up.
    public func add(_ counter: Counter, _ amount: UInt64 = 1) {
        values.counters.grow(to: counter.index + 1, with: 0)
        values.counters[counter.index] &+= amount
    }

    /// Sets this thread's share of a level.
    public func set(_ gauge: Gauge, _ value: Int64) {
        values.gauges.grow(to: gauge.index + 1, with: 0)
        values.gauges[gauge.index] = value
    }

    /// Counts a duration in nanoseconds, or a size in bytes, that was seen once or so many times.
    public func record(_ histogram: Histogram, _ value: Int64, times: UInt64 = 1) {
        values.histograms.grow(to: histogram.index + 1, with: LatencyHistogram())
        values.histograms[histogram.index].record(value, times: times)
    }

    /// Makes everything counted so far visible to `MetricRegistry.snapshot`.
    public func publish() {
        let copy = values
        slot.values.withLock { $0 = copy }
    }
}
