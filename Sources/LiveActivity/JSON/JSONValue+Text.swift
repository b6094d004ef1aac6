internal import Codes

/// How a tree is written: on one line for streams, indented for people. Members keep their order, so output is stable.
extension JSONValue {
    /// Any integer; one beyond Int64 becomes its nearest bound.
    public static func count(_ value: some BinaryInteger) -> JSONValue { .integer(Int64(clamping: value)) }

    /// On one line, for streams of objects.
    public var line: String { text(indent: nil) }

    /// Indented by two spaces, without a line break at the end.
    public var pretty: String { text(indent: 0) }

    private func text(indent: Int?) -> String {
        var bytes: [UInt8] = []
        write(to: &bytes, indent: indent)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func write(to output: inout [UInt8], indent: Int?) {
        switch self {
        case .string(let text): Codes.JSONText.append(text, to: &output)
        case .integer(let number): output += Array(String(number).utf8)
        case .decimal(let number): output += Array((number.isFinite ? String(number) : "null").utf8)
        case .bool(let truth): output += Array((truth ? "true" : "false").utf8)
        case .null: output += Array("null".utf8)
        case .array(let values):
            Self.list(values, "[", "]", indent, &output) { value, inner, output in
                value.write(to: &output, indent: inner)
            }
        case .object(let members):
            Self.list(members, "{", "}", indent, &output) { member, inner, output in
                Codes.JSONText.append(member.name, to: &output)
                output += Array((indent == nil ? ":" : ": ").utf8)
                member.value.write(to: &output, indent: inner)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], _ open: String, _ close: String, _ indent: Int?, _ output: inout [UInt8],
        _ write: (Element, Int?, inout [UInt8]) -> Void
    ) {
        output += Array(open.utf8)
        let inner = indent.map { $0 + 2 }
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            lineBreak(inner, &output)
            write(element, inner, &output)
        }
        if !elements.isEmpty { lineBreak(indent, &output) }
        output += Array(close.utf8)
    }

    private static func lineBreak(_ indent: Int?, _ output: inout [UInt8]) {
        guard let indent else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
    }
}
