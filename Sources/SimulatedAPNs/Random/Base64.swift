/// The two base64 alphabets that APNs traffic uses: the standard one with padding (channel IDs, `Data`), and the
/// URL-safe one without (JWT, RFC 7515 2).
public enum Base64 {
    private static let standard = [UInt8](
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Standard alphabet, padded.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            let second = index + 1 < bytes.count ? bytes[index + 1] : 0
            let third = index + 2 < bytes.count ? bytes[index + 2] : 0
            let word = UInt32(first) << 16 | UInt32(second) << 8 | UInt32(third)
            text.append(standard[Int(word >> 18)])
            text.append(standard[Int(word >> 12 & 63)])
            text.append(index + 1 < bytes.count ? standard[Int(word >> 6 & 63)] : UInt8(ascii: "="))
            text.append(index + 2 < bytes.count ? standard[Int(word & 63)] : UInt8(ascii: "="))
            index += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// URL-safe alphabet without padding.
    public static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        let text = encode(bytes).utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Standard alphabet with padding; nil for anything else.
    public static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var body = Array(text)
        guard body.count % 4 == 0 else { return nil }
        var padding = 0
        while padding < 2, body.last == UInt8(ascii: "=") {
            body.removeLast()
            padding += 1
        }
        return unpack(body, plus: UInt8(ascii: "+"), slash: UInt8(ascii: "/"))
    }

    /// URL-safe alphabet without padding; nil for anything else.
    public static func decodeURLSafe(_ text: some Sequence<UInt8>) -> [UInt8]? {
        unpack(Array(text), plus: UInt8(ascii: "-"), slash: UInt8(ascii: "_"))
    }

    private static func unpack(_ text: [UInt8], plus: UInt8, slash: UInt8) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var word: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(character, plus: plus, slash: slash) else { return nil }
            word = word << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
        }
        return bytes
    }

    private static func value(_ character: UInt8, plus: UInt8, slash: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case plus: 62
        case slash: 63
        default: nil
        }
    }
}
