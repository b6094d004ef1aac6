/// The spelling of JSON strings (RFC 8259 7), for everything that is said in JSON: log lines, command output, answers.
public enum JSONText {
    private static let hex = Array("0123456789abcdef".utf8)

    /// Appends `text` as a JSON string with its quotes.
    public static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 { appendEscaped(byte, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            output.append(UInt8(ascii: "\\"))
            output.append(byte)
        case UInt8(ascii: "\n"): output.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
        case UInt8(ascii: "\t"): output.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
        case UInt8(ascii: "\r"): output.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
        case 0..<0x20, 0x7F:
            output.append(contentsOf: "\\u00".utf8)
            output.append(hex[Int(byte >> 4)])
            output.append(hex[Int(byte & 15)])
        default: output.append(byte)
        }
    }
}
