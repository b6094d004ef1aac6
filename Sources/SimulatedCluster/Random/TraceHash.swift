/// A fingerprint of everything that happened: two runs of a seed must have the same.
struct TraceHash: Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0x100_0000_01B3
        value ^= value >> 29
    }

    mutating func mix(_ number: Int64) { mix(UInt64(bitPattern: number)) }

    mutating func mix(_ number: Int) { mix(UInt64(bitPattern: Int64(number))) }

    mutating func mix(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
