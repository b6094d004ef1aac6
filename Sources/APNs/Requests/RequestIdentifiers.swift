internal import CLinux

/// Makes the UUIDs of `apns-id` and `apns-request-id`: version 4, canonical, lower case (Docs/APNs.md 3).
///
/// xoshiro256++ seeded from the kernel: unique over nodes and restarts, and about 10 ns each. Not secret.
/// Threads: one, the loop that owns it.
struct RequestIdentifiers {
    static let length = 36
    private static let digits = Array("0123456789abcdef".utf8)
    private var state: (UInt64, UInt64, UInt64, UInt64)

    init() {
        var seed: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let result = withUnsafeMutableBytes(of: &seed) { getentropy($0.baseAddress, $0.count) }
        precondition(result == 0, "getentropy: errno \(crl_errno())")
        self.init(seed: seed)
    }

    /// For tests: the same seed makes the same identifiers.
    init(seed: (UInt64, UInt64, UInt64, UInt64)) {
        // All zeros is the one state that xoshiro never leaves.
        state = (seed.0 | 1, seed.1, seed.2, seed.3)
    }

    private mutating func next() -> UInt64 {
        let result = rotate(state.0 &+ state.3, 23) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = rotate(state.3, 45)
        return result
    }

    private func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }

    /// The 16 bytes of the next identifier as two big-endian halves, version and variant set.
    mutating func nextHalves() -> (UInt64, UInt64) {
        let high = next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let low = next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return (high, low)
    }

    /// Writes `halves` as 36 characters to `destination`.
    static func write(_ halves: (UInt64, UInt64), to destination: UnsafeMutablePointer<UInt8>) {
        digits.withUnsafeBufferPointer { digits in
            var position = 0
            for nibble in 0..<32 {
                if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
                    destination[position] = UInt8(ascii: "-")
                    position += 1
                }
                let half = nibble < 16 ? halves.0 : halves.1
                destination[position] = digits[Int(half >> UInt64(60 - 4 * (nibble & 15)) & 15)]
                position += 1
            }
        }
    }
}
