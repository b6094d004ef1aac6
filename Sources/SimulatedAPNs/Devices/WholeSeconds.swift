// Written out because the library's rounding would need the C mathematics library.

/// The whole seconds of a number, rounded down; nil beyond 2^53, where no time lies.
func wholeSeconds(_ value: Double) -> Int64? {
    guard value.isFinite, abs(value) < 9_007_199_254_740_992 else { return nil }
    let towardsZero = Int64(value)
    return Double(towardsZero) > value ? towardsZero - 1 : towardsZero
}
