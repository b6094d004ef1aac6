internal import CLinux
internal import Delivery

/// Makes the UUIDs of `apns-id` and `apns-request-id`: version 4, canonical, lower case (Docs/APNs.md 3).
///
/// A push keeps its identifier over all attempts, so that whoever counts at the other end can tell a repetition from another
/// push; it is a keyed hash of what is sent where. Other requests get the next number of xoshiro256++. Both are seeded from
/// the kernel: unique over nodes and restarts, and cheap. Not secret.
/// Threads: one, the loop that owns it.
struct RequestIdentifiers {
    static let length = 36
    private static let digits = Array("0123456789abcdef".utf8)
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
        var hasher = Hasher()
        hasher.combine(key)
        hasher.combine(item.ticket)
        hasher.combine(item.sequence)
        hasher.combine(destination.app)
        destination.address.withUnsafeBytes { hasher.combine(bytes: $0) }
        var other = hasher
        other.combine(1 as UInt8)
        return Self.marked(
            UInt64(bitPattern: Int64(hasher.finalize())), UInt64(bitPattern: Int64(other.finalize())))
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
