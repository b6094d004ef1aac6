/// Reads the few JSON bodies that APNs answers with. Total and lenient: what is not understood is skipped, nothing
/// traps, and every string is bounded by the body it came in.
struct AnswerBody {
    private static let depthMax = 16

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `reason` and `timestamp` of an error body or of GOAWAY's debug data, which may be empty or plain text too.
    static func reason(in bytes: [UInt8]) -> (reason: String?, timestampMilliseconds: Int64?) {
        var reason: String?
        var timestamp: Int64?
        var body = AnswerBody(bytes)
        _ = body.members { key, body in
            switch key {
            case "reason": reason = body.text() ?? reason
            case "timestamp": timestamp = body.integer() ?? timestamp
            default: break
            }
        }
        return (reason, timestamp)
    }

    /// `message-storage-policy` of a read answer.
    static func storagePolicy(in bytes: [UInt8]) -> Int64? {
        var policy: Int64?
        var body = AnswerBody(bytes)
        let complete = body.members { key, body in
            if key == "message-storage-policy" { policy = body.integer() }
        }
        return complete ? policy : nil
    }

    /// `channels` of a list answer; nil when the body is no whole list. No body at all is an empty list: Apple's text
    /// says "empty body" (Docs/APNs.md 3.3).
    static func channels(in bytes: [UInt8]) -> [String]? {
        if bytes.isEmpty { return [] }
        var channels: [String]?
        var body = AnswerBody(bytes)
        let complete = body.members { key, body in
            if key == "channels" { channels = body.texts() }
        }
        return complete ? channels : nil
    }

    /// Walks over the members of the outermost object; `read` may take the value, and what it leaves is skipped.
    /// Returns whether the object was whole.
    private mutating func members(_ read: (String, inout AnswerBody) -> Void) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            guard let key = text(), take(UInt8(ascii: ":")) else { return false }
            let start = position
            read(key, &self)
            if position == start, !skipValue(depth: 1) { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// A whole number; the position stays when there is none.
    private mutating func integer() -> Int64? {
        skipSpace()
        let start = position
        let negative = take(UInt8(ascii: "-"))
        var value: Int64 = 0
        let digits = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) {
            let (product, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, over2) = product.addingReportingOverflow(Int64(bytes[position] - 0x30))
            guard !over, !over2 else { break }
            value = sum
            position += 1
        }
        let ended = position == bytes.count || [0x2C, 0x7D, 0x5D, 0x20, 0x0A, 0x0D, 0x09].contains(bytes[position])
        guard position > digits, ended else {
            position = start
            return nil
        }
        return negative ? -value : value
    }

    /// A string without its escapes; the position stays when there is none.
    private mutating func text() -> String? {
        let start = position
        guard take(UInt8(ascii: "\"")) else { return nil }
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard unescape(into: &content) else { break }
            } else {
                content.append(byte)
            }
        }
        position = start
        return nil
    }

    private mutating func unescape(into content: inout [UInt8]) -> Bool {
        guard position < bytes.count else { return false }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "u"):
            guard position + 4 <= bytes.count,
                let unit = UInt32(String(decoding: bytes[position..<position + 4], as: UTF8.self), radix: 16)
            else { return false }
            position += 4
            // APNs' words and IDs are ASCII; a surrogate half becomes the replacement character.
            content.append(contentsOf: String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
        default: return false
        }
        return true
    }

    private mutating func texts() -> [String]? {
        guard take(UInt8(ascii: "[")) else { return nil }
        var texts: [String] = []
        if take(UInt8(ascii: "]")) { return texts }
        repeat {
            guard let text = text() else { return nil }
            texts.append(text)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? texts : nil
    }

    private mutating func skipValue(depth: Int) -> Bool {
        guard depth <= Self.depthMax else { return false }
        if text() != nil { return true }
        if take(UInt8(ascii: "[")) { return skipList(until: UInt8(ascii: "]"), keyed: false, depth: depth) }
        if take(UInt8(ascii: "{")) { return skipList(until: UInt8(ascii: "}"), keyed: true, depth: depth) }
        skipSpace()
        let start = position
        while position < bytes.count, isScalar(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func skipList(until end: UInt8, keyed: Bool, depth: Int) -> Bool {
        if take(end) { return true }
        repeat {
            if keyed { guard text() != nil, take(UInt8(ascii: ":")) else { return false } }
            guard skipValue(depth: depth + 1) else { return false }
        } while take(UInt8(ascii: ","))
        return take(end)
    }

    /// Numbers, true, false, null.
    private func isScalar(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
    }
}
