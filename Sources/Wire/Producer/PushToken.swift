/// A push token, 2…512 hexadecimal digits. Apple says the length may change, so nothing depends on it.
///
/// Whoever has a token and an app's key can push, so descriptions never show it.
public struct PushToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The digits in lower case, as ASCII.
    public let digits: [UInt8]

    /// Takes digits of either case; nil when there is another character, an odd number, none, or too many.
    public init?(_ text: some Sequence<UInt8>) {
        var digits: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): digits.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digits.append(byte | 0x20)
            default: return nil
            }
            guard digits.count <= ProducerProtocol.tokenDigitsMax else { return nil }
        }
        guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
        self.digits = digits
    }

    /// Takes text, see above.
    public init?(_ text: String) { self.init(text.utf8) }

    /// `a1b2…9f`: enough to tell two apart, too little to use.
    public var description: String {
        guard digits.count > 16 else { return "…" }
        return String(decoding: digits.prefix(4), as: UTF8.self) + "…"
            + String(decoding: digits.suffix(2), as: UTF8.self)
    }

    /// The same: a debugger's output is pasted into tickets too.
    public var debugDescription: String { description }
}
