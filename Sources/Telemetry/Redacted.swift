/// A secret or a token as it may appear in a log: `~` and eight hexadecimal digits of a hash.
///
/// The same bytes give the same text on every node and in every run, so that two lines about one token can be matched.
/// 32 bits of an FNV-1a hash say nothing useful about a token of 32 random bytes; do not use it for passwords.
public struct Redacted: Sendable, Hashable, CustomStringConvertible {
    private let hash: UInt32

    /// Hashes the bytes; they are not kept.
    public init(_ secret: some Sequence<UInt8>) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in secret { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01b3 }
        self.hash = UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    }

    /// Hashes the UTF-8 of `secret`.
    public init(_ secret: String) {
        self.init(secret.utf8)
    }

    /// `~1f02b3c4`.
    public var description: String {
        let digits = String(hash, radix: 16)
        return "~" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
