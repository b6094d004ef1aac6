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
            output.append(contentsOf: [UInt8(ascii: "<"), UInt8(ascii: "0") + head.level.journalPriority])
            output.append(UInt8(ascii: ">"))
        }
        let pairs = (context.pairs + fields.pairs).prefix(fieldsMax)
        switch format {
        case .json: appendJSON(head, pairs, to: &output)
        case .text: appendText(head, pairs, to: &output)
        }
        output.append(UInt8(ascii: "\n"))
    }

    private static func appendJSON(
        _ head: Head, _ pairs: ArraySlice<(key: String, value: LogValue)>, to output: inout [UInt8]
    ) {
        output.append(contentsOf: #"{"time":""#.utf8)
        Timestamp.append(head.milliseconds, to: &output)
        output.append(contentsOf: #"","level":""#.utf8)
        output.append(contentsOf: head.level.name.utf8)
        output.append(contentsOf: #"","message":"#.utf8)
        JSONText.append(head.message.description, to: &output)
        output.append(contentsOf: #","component":"#.utf8)
        JSONText.append(head.component, to: &output)
        if let stage = head.stage {
            output.append(contentsOf: #","stage":""#.utf8)
            output.append(contentsOf: stage.rawValue.utf8)
            output.append(UInt8(ascii: "\""))
        }
        for (key, value) in pairs {
            output.append(UInt8(ascii: ","))
            JSONText.append(key, to: &output)
            output.append(UInt8(ascii: ":"))
            appendJSON(value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func appendJSON(_ value: LogValue, to output: inout [UInt8]) {
        switch value {
        case .string(let text): JSONText.append(cut(text), to: &output)
        case .integer(let number): output.append(contentsOf: String(number).utf8)
        case .number(let number) where number.isFinite: output.append(contentsOf: String(number).utf8)
        case .number(let number): JSONText.append(String(number), to: &output)
        case .boolean(let truth): output.append(contentsOf: (truth ? "true" : "false").utf8)
        }
    }

    private static func appendText(
        _ head: Head, _ pairs: ArraySlice<(key: String, value: LogValue)>, to output: inout [UInt8]
    ) {
        Timestamp.append(head.milliseconds, to: &output)
        output.append(UInt8(ascii: " "))
        let level = head.level.name.uppercased()
        output.append(contentsOf: level.utf8)
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 8 - level.utf8.count))
        output.append(contentsOf: head.component.utf8)
        if let stage = head.stage {
            output.append(UInt8(ascii: "/"))
            output.append(contentsOf: stage.rawValue.utf8)
        }
        output.append(contentsOf: ": ".utf8)
        output.append(contentsOf: head.message.description.utf8)
        for (key, value) in pairs {
            output.append(UInt8(ascii: " "))
            output.append(contentsOf: key.utf8)
            output.append(UInt8(ascii: "="))
            appendText(value, to: &output)
        }
    }

    private static func appendText(_ value: LogValue, to output: inout [UInt8]) {
        // Control characters would let a field's text forge lines or drive the terminal: quote like JSON.
        guard case .string(let text) = value else { return appendJSON(value, to: &output) }
        let plain = !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
        if plain {
            output.append(contentsOf: cut(text).utf8)
        } else {
            JSONText.append(cut(text), to: &output)
        }
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > valueBytesMax else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: valueBytesMax)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return text[..<end] + "…"
    }
}
