import CLinux
import Loops

/// A small generator whose sequence is the same everywhere, so that a run can be repeated by its seed.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// `CARILLON_SEED`, or another one each time.
    static func seedOfThisRun() -> UInt64 {
        getenv("CARILLON_SEED").flatMap { UInt64(String(cString: $0)) }
            ?? UInt64(truncatingIfNeeded: Clock.monotonicNanoseconds()) % 1_000_000_000
    }
}
