/// What a node is: 16 random bytes made with its data directory. A wiped directory is another node.
public struct NodeID: Hashable, Comparable, Sendable {
    /// Bytes of the identifier.
    public static let byteCount = 16

    /// First eight bytes, big-endian.
    public let high: UInt64
    /// Last eight bytes, big-endian.
    public let low: UInt64

    /// Makes an identifier from its halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Takes exactly 16 bytes; nil otherwise.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The 16 bytes.
    public var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
    }

    /// Compares as bytes.
    public static func < (left: NodeID, right: NodeID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension NodeID: CustomStringConvertible {
    /// 32 lower-case hexadecimal digits.
    public var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
