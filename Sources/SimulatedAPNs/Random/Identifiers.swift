private let lowerDigits = [UInt8]("0123456789abcdef".utf8)
private let upperDigits = [UInt8]("0123456789ABCDEF".utf8)

extension SplitMix64 {
    /// A random UUID in upper case, as APNs returns them (Docs/APNs.md 3).
    mutating func uuid() -> String {
        let random = bytes(16)
        return String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for (index, byte) in random.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let value =
                    index == 6 ? (byte & 0x0F) | 0x40 : index == 8 ? (byte & 0x3F) | 0x80 : byte
                text[place] = upperDigits[Int(value >> 4)]
                text[place + 1] = upperDigits[Int(value & 15)]
                place += 2
            }
            return 36
        }
    }

    /// A random device token of `byteCount` bytes in lower-case hex.
    mutating func deviceToken(byteCount: Int) -> String {
        String(
            decoding: bytes(byteCount).flatMap { [lowerDigits[Int($0 >> 4)], lowerDigits[Int($0 & 15)]] }, as: UTF8.self
        )
    }

    /// A random channel ID: 16 bytes in padded base64, the size seen at Apple (Docs/APNs.md 3.3).
    mutating func channelID() -> String { Base64.encode(bytes(16)) }
}

/// A UUID as a comparable value; canonical 8-4-4-4-12 form in either case.
struct UUIDBits: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// Reads the canonical form, nil for anything else.
    init?(_ text: String) {
        var words: (UInt64, UInt64) = (0, 0)
        var index = 0
        var digits = 0
        for byte in text.utf8 {
            defer { index += 1 }
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let value = hexValue(byte) else { return nil }
            words.0 = words.0 << 4 | words.1 >> 60
            words.1 = words.1 << 4 | UInt64(value)
            digits += 1
        }
        guard index == 36, digits == 32 else { return nil }
        (high, low) = words
    }
}

/// The value of a hex digit in either case.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
