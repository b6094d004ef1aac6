/// Exponential waiting between attempts: the n-th failure in a row waits between half of and the whole of
/// `base * 2^(n-1)`, never more than `max`. The spread keeps many lanes from coming back in the same instant.
public struct BackOff: Hashable, Sendable {
    /// Wait after the first failure, in milliseconds; at least 1.
    public let baseMilliseconds: Int64
    /// Longest wait, in milliseconds; at least the base.
    public let maxMilliseconds: Int64

    /// Makes a back-off; values out of range are moved to the nearest allowed one.
    public init(baseMilliseconds: Int64, maxMilliseconds: Int64) {
        self.baseMilliseconds = max(1, baseMilliseconds)
        self.maxMilliseconds = max(self.baseMilliseconds, maxMilliseconds)
    }

    /// The wait after `failures` failures in a row.
    func delay(failures: Int, random: inout SplitMix64) -> Int64 {
        let shift = min(max(failures, 1) - 1, 30)
        let whole =
            baseMilliseconds > maxMilliseconds >> Int64(shift) ? maxMilliseconds : baseMilliseconds << Int64(shift)
        return whole - random.below(whole / 2 + 1)
    }
}
