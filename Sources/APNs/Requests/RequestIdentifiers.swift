internal import CLinux
internal import Delivery

/// Makes the UUIDs of `apns-id` and `apns-request-id`: version 4, canonical, lower case (Docs/APNs.md 3).
///
/// A push keeps its identifier over all attempts, so that whoever counts at the other end can tell a repetition from
/// another push; it is a keyed mix of what is sent where. Other requests get the next number of xoshiro256++. Both
/// are seeded from the kernel: unique over nodes and restarts, and cheap. Not secret. Threads: one, the loop that
/// owns it.
struct RequestIdentifiers {
    static let length = 36
    private let key: UInt64
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
        key = seed.3
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

    /// The 16 bytes of the next identifier as two big-endian halves.
    mutating func nextHalves() -> (UInt64, UInt64) {
        Self.marked(next(), next())
    }

    /// The identifier of one version of a record on its way to one destination, the same for every attempt.
    func halves(of item: PushItem, to destination: Destination) -> (UInt64, UInt64) {
        var mixed = Self.mix(key ^ item.ticket, item.sequence ^ 0x9E37_79B9_7F4A_7C15)
        mixed = Self.mix(mixed ^ UInt64(destination.app) << 8 ^ UInt64(destination.kind.rawValue), key)
        destination.address.withUnsafeBytes { bytes in
            var rest = bytes
            while rest.count >= 8 {
                mixed = Self.mix(mixed ^ rest.loadUnaligned(as: UInt64.self), 0xE703_7ED1_A0B4_28DB)
                rest = UnsafeRawBufferPointer(rebasing: rest[8...])
            }
            for byte in rest { mixed = Self.mix(mixed ^ UInt64(byte), 0x8EBC_6AF0_9C88_C6E3) }
        }
        let high = Self.mix(mixed, state.1 | 1)
        return Self.marked(high, Self.mix(mixed ^ high, state.2 | 1))
    }

    /// Both halves of the 128-bit product, folded: every bit of one side reaches every bit of the result.
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low ^ right
    }

    /// Version 4 and the variant of RFC 9562.
    private static func marked(_ high: UInt64, _ low: UInt64) -> (UInt64, UInt64) {
        (high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }

    /// `halves` as 36 characters.
    static func text(_ halves: (UInt64, UInt64)) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            write(halves, to: base)
            count = length
        }
    }

    /// Writes `halves` as 36 characters to `destination`.
    static func write(_ halves: (UInt64, UInt64), to destination: UnsafeMutablePointer<UInt8>) {
        let raw = UnsafeMutableRawPointer(destination)
        let (first, second) = (hex(halves.0 >> 32), hex(halves.0 & 0xFFFF_FFFF))
        let (third, fourth) = (hex(halves.1 >> 32), hex(halves.1 & 0xFFFF_FFFF))
        raw.storeBytes(of: first, as: UInt64.self)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: second), toByteOffset: 9, as: UInt32.self)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: second >> 32), toByteOffset: 14, as: UInt32.self)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: third), toByteOffset: 19, as: UInt32.self)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: third >> 32), toByteOffset: 24, as: UInt32.self)
        raw.storeBytes(of: fourth, toByteOffset: 28, as: UInt64.self)
        destination[8] = UInt8(ascii: "-")
        destination[13] = UInt8(ascii: "-")
        destination[18] = UInt8(ascii: "-")
        destination[23] = UInt8(ascii: "-")
    }

    /// The eight hexadecimal digits of 32 bits, the first in the lowest byte: all eight at once.
    private static func hex(_ value: UInt64) -> UInt64 {
        var nibbles = value.byteSwapped >> 32
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles >> 4 | nibbles << 8) & 0x0F0F_0F0F_0F0F_0F0F
        // Digits above 9 become letters: 39 lies between "9" + 1 and "a".
        let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles + 0x3030_3030_3030_3030 + letters &* 39
    }
}
