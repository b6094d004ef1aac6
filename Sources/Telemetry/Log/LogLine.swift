internal import Codes

/// How lines look.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line, for machines.
    case json
    /// `2026-05-26T16:00:00.000Z INFO core message key=value`, for people.
    case text
}

/// Builds one line of the log. Pure.
enum LogLine {
    /// Longest text value in bytes; what is beyond is cut, at a character's border, and `…` added.
    static let valueBytesMax = 1024
    /// Most fields of a line; the rest is left out.
    static let fieldsMax = 32

    /// What every line says besides its fields.
    struct Head {
        var milliseconds: Int64
        var level: LogLevel
        var message: StaticString
        var component: String
        var stage: Stage?
    }

    /// Appends the line with its newline; `journal` adds the priority that systemd reads.
    static func append(
        _ head: Head, context: LogFields, fields: LogFields, format: LogFormat, journal: Bool, to output: inout [UInt8]
    ) {
        if journal {
            output.append(UInt8(ascii: "<"))
            output.append(UInt8(ascii: "0") + head.level.journalPriority)
            output.append(UInt8(ascii: ">"))
        }
        let own = fields.pairs.prefix(max(0, fieldsMax - context.pairs.count))
        switch format {
        case .json:
            append(json: head, to: &output)
            for (key, value) in context.pairs.prefix(fieldsMax) { append(json: key, value, to: &output) }
            for (key, value) in own { append(json: key, value, to: &output) }
            output.append(UInt8(ascii: "}"))
        case .text:
            append(text: head, to: &output)
            for (key, value) in context.pairs.prefix(fieldsMax) { append(text: key, value, to: &output) }
            for (key, value) in own { append(text: key, value, to: &output) }
        }
        output.append(UInt8(ascii: "\n"))
    }

    // MARK: JSON

    private static func append(json head: Head, to output: inout [UInt8]) {
        output.add(#"{"time":""#)
        Timestamp.append(head.milliseconds, to: &output)
        output.add(#"","level":""#)
        output.add(head.level.name)
        output.add(#"","message":"#)
        JSONText.append(head.message, to: &output)
        output.add(#","component":"#)
        JSONText.append(head.component, to: &output)
        guard let stage = head.stage else { return }
        output.add(#","stage":""#)
        output.add(stage.rawValue)
        output.append(UInt8(ascii: "\""))
    }

    private static func append(json key: String, _ value: LogValue, to output: inout [UInt8]) {
        output.append(UInt8(ascii: ","))
        JSONText.append(key, to: &output)
        output.append(UInt8(ascii: ":"))
        append(value, to: &output)
    }

    private static func append(_ value: LogValue, to output: inout [UInt8]) {
        switch value {
        case .string(let text): JSONText.append(cut(text), to: &output)
        case .integer(let number): output.add(String(number))
        case .number(let number) where number.isFinite: output.add(String(number))
        case .number(let number): JSONText.append(String(number), to: &output)
        case .boolean(let truth): output.add(truth ? "true" : "false")
        }
    }

    // MARK: Text

    private static func append(text head: Head, to output: inout [UInt8]) {
        Timestamp.append(head.milliseconds, to: &output)
        output.append(UInt8(ascii: " "))
        let level = head.level.name.uppercased()
        output.add(level)
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 8 - level.utf8.count))
        output.add(head.component)
        if let stage = head.stage {
            output.append(UInt8(ascii: "/"))
            output.add(stage.rawValue)
        }
        output.add(": ")
        output.add(head.message.description)
    }

    private static func append(text key: String, _ value: LogValue, to output: inout [UInt8]) {
        output.append(UInt8(ascii: " "))
        output.add(key)
        output.append(UInt8(ascii: "="))
        // Control characters would let a field's text forge lines or drive the terminal: quote like JSON.
        if case .string(let text) = value, !text.isEmpty, text.utf8.allSatisfy(isPlain) {
            output.add(cut(text))
        } else {
            append(value, to: &output)
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != UInt8(ascii: "\"") && byte != 0x7F
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > valueBytesMax else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: valueBytesMax)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}

extension [UInt8] {
    /// Appends the UTF-8 of a text in one copy.
    fileprivate mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }
}
