/// How often which durations (or sizes) were seen, with less than 1.6 % error at any magnitude; a plain, mergeable
/// value.
///
/// Log-linear: values below 128 have a bucket each, every power of two above has 64. The array grows to the largest
/// value seen: about 8 KB for latencies up to a second in nanoseconds. Count, sum, smallest and largest are exact.
public struct LatencyHistogram: Sendable, Hashable {
    private static let linearBits = 6
    private static let bucketsPerOctave = 64

    private var buckets: [UInt64] = []
    /// How many values were recorded.
    public private(set) var count: UInt64 = 0
    /// The sum of all values; saturates.
    public private(set) var sum: UInt64 = 0
    /// The largest value; 0 when empty.
    public private(set) var maximum: Int64 = 0
    private var smallest: Int64 = .max

    /// Makes an empty histogram.
    public init() {}

    /// Counts one value, by convention in nanoseconds; a negative one counts as 0.
    public mutating func record(_ value: Int64) {
        record(value, times: 1)
    }

    /// Counts the same value several times.
    public mutating func record(_ value: Int64, times: UInt64) {
        guard times > 0 else { return }
        let value = max(value, 0)
        let index = Self.index(of: UInt64(value))
        if index >= buckets.count {
            buckets.append(contentsOf: repeatElement(0, count: index + 1 - buckets.count))
        }
        buckets[index] += times
        count += times
        let (product, overflow) = UInt64(value).multipliedReportingOverflow(by: times)
        sum = sum.addingSaturated(overflow ? .max : product)
        maximum = max(maximum, value)
        smallest = min(smallest, value)
    }

    /// Adds everything that `other` has counted.
    public mutating func merge(_ other: LatencyHistogram) {
        if other.buckets.count > buckets.count {
            buckets.append(contentsOf: repeatElement(0, count: other.buckets.count - buckets.count))
        }
        for (index, times) in other.buckets.enumerated() { buckets[index] += times }
        count += other.count
        sum = sum.addingSaturated(other.sum)
        maximum = max(maximum, other.maximum)
        smallest = min(smallest, other.smallest)
    }

    /// The smallest value; 0 when empty.
    public var minimum: Int64 { count == 0 ? 0 : smallest }

    /// The mean; 0 when empty.
    public var mean: Double { count == 0 ? 0 : Double(sum) / Double(count) }

    /// The value that a share of all values (0…1) does not exceed; 0 when empty.
    ///
    /// The upper border of the bucket in which it lies, never above `maximum`: it errs upwards by less than 1.6 %.
    public func percentile(_ share: Double) -> Int64 {
        guard count > 0 else { return 0 }
        let wanted = min(max((share * Double(count)).rounded(.up), 1), Double(count))
        var seen: UInt64 = 0
        for (index, times) in buckets.enumerated() where times > 0 {
            seen += times
            if Double(seen) >= wanted { return min(Self.upperBorder(of: index), maximum) }
        }
        return maximum
    }

    /// How many values lie at or below `value`, counted in whole buckets.
    public func count(upTo value: Int64) -> UInt64 {
        guard value >= 0 else { return 0 }
        var end = Self.index(of: UInt64(value))
        if Self.upperBorder(of: end) <= value { end += 1 }
        return buckets.prefix(end).reduce(0, +)
    }

    /// The buckets that hold anything, smallest first: the largest value that falls into each, and how many did.
    /// Recorded again they give the same buckets, so that counts may travel, be added and be taken off each other.
    public var counts: [(upTo: Int64, times: UInt64)] {
        buckets.enumerated().compactMap { $1 > 0 ? (Self.upperBorder(of: $0), $1) : nil }
    }

    private static func index(of value: UInt64) -> Int {
        guard value >= 128 else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - linearBits
        return shift * bucketsPerOctave + Int(value >> UInt64(shift))
    }

    /// The largest value that falls into the bucket.
    private static func upperBorder(of index: Int) -> Int64 {
        guard index >= 128 else { return Int64(index) }
        let shift = index / bucketsPerOctave - 1
        let mantissa = Int64(index - shift * bucketsPerOctave)
        return ((mantissa + 1) << Int64(shift)) &- 1
    }
}

extension UInt64 {
    fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
