/// All metrics at one moment.
public struct MetricSnapshot: Sendable {
    let families: [MetricRegistry.Family]
    let series: [MetricRegistry.Series]
    let values: MetricValues

    /// The value of a counter; 0 when nothing was published.
    public func value(_ counter: Counter) -> UInt64 {
        counter.index < values.counters.count ? values.counters[counter.index] : 0
    }

    /// The value of a gauge, added over all recorders.
    public func value(_ gauge: Gauge) -> Int64 {
        gauge.index < values.gauges.count ? values.gauges[gauge.index] : 0
    }

    /// The distribution of a histogram, merged over all recorders.
    public func value(_ histogram: Histogram) -> LatencyHistogram {
        histogram.index < values.histograms.count ? values.histograms[histogram.index] : LatencyHistogram()
    }
}
