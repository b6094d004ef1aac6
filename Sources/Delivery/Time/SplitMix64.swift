/// A small seeded generator, so that jitter and choices are the same in every replay of a seed.
public struct SplitMix64: Sendable, Hashable {
    private var state: UInt64

    /// Makes a generator; equal seeds give equal numbers.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in `0..<bound`; 0 when `bound` is not positive. The bias of the remainder is harmless for jitter.
    public mutating func below(_ bound: Int64) -> Int64 {
        bound > 0 ? Int64(next() % UInt64(bound)) : 0
    }
}
