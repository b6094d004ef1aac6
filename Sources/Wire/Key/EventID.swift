/// The caller's name for one event, 1…64 bytes of printable UTF-8. The last 16 of every key are remembered, so a
/// repeated one gets the answer of the first.
public struct EventID: Hashable, Sendable, CustomStringConvertible {
    /// Longest identifier in bytes.
    public static let bytesMax = 64

    /// The bytes as the producer sent them; compared as bytes, never by Unicode equivalence.
    public let bytes: [UInt8]

    /// Takes text of 1…64 bytes without control characters; nil otherwise.
    public init?(_ text: String) {
        self.init(bytes: Array(text.utf8))
    }

    /// Takes UTF-8 of 1…64 bytes without control characters; nil otherwise.
    public init?(bytes: [UInt8]) {
        guard (1...Self.bytesMax).contains(bytes.count), bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
            String(validating: bytes, as: UTF8.self) != nil
        else { return nil }
        self.bytes = bytes
    }

    /// For a decoder that has already checked length, UTF-8 and control characters.
    init(checked bytes: [UInt8]) { self.bytes = bytes }

    /// Hashes all bytes at once.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The identifier as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
