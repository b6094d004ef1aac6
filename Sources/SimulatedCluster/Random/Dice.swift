internal import Delivery

/// All chance of one simulation: a small seeded generator, so that a seed says everything.
struct Dice: Sendable {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed &* 0x9e37_79b9_7f4a_7c15 &+ 1) }

    mutating func next() -> UInt64 { random.next() }

    /// A number in `0..<bound`; 0 when `bound` is not positive.
    mutating func below(_ bound: Int64) -> Int64 { random.below(bound) }

    mutating func below(_ bound: Int) -> Int { Int(below(Int64(bound))) }

    mutating func between(_ low: Int64, _ high: Int64) -> Int64 { low + below(high - low + 1) }

    mutating func within(_ range: ClosedRange<Int64>) -> Int64 { between(range.lowerBound, range.upperBound) }

    mutating func chance(perMille: Int64) -> Bool { perMille > 0 && below(1000) < perMille }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
