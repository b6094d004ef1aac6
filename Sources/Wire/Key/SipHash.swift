/// SipHash-2-4 (Aumasson and Bernstein): the keyed hash that spreads keys over shards.
///
/// The result is the same on every machine and in every version, unlike Swift's `Hasher`, because it decides where
/// records live.
public enum SipHash {
    /// The 64-bit hash of `bytes` under the 128-bit `seed` (first half, second half, each read little-endian).
    public static func hash(_ bytes: some Sequence<UInt8>, seed: (UInt64, UInt64)) -> UInt64 {
        var state = State(seed: seed)
        var word: UInt64 = 0
        var count = 0
        for byte in bytes {
            word |= UInt64(byte) << UInt64((count & 7) * 8)
            count += 1
            if count & 7 == 0 {
                state.take(word)
                word = 0
            }
        }
        return state.finish(word | UInt64(count & 0xff) << 56)
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(seed: (UInt64, UInt64)) {
            v0 = seed.0 ^ 0x736f_6d65_7073_6575
            v1 = seed.1 ^ 0x646f_7261_6e64_6f6d
            v2 = seed.0 ^ 0x6c79_6765_6e65_7261
            v3 = seed.1 ^ 0x7465_6462_7974_6573
        }

        mutating func take(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish(_ last: UInt64) -> UInt64 {
            take(last)
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 &+= v1
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 &+= v3
            v3 = rotate(v3, 16) ^ v2
            v0 &+= v3
            v3 = rotate(v3, 21) ^ v0
            v2 &+= v1
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        }

        private func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
            value << bits | value >> (64 - bits)
        }
    }
}
