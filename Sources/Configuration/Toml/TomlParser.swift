internal import CToml
internal import Codes

/// Reads TOML 1.0 into a tree with positions, through the C face on toml++.
enum TomlParser {
    /// The root table, or the first syntax error at `file:line:column`.
    static func parse(_ bytes: [UInt8], file: String) -> Result<TomlNode, Fault> {
        // The C++ reader decodes without complaint what it later cannot print: refuse bad UTF-8 here.
        guard String(validating: bytes, as: UTF8.self) != nil else {
            return .failure(Fault(.configurationSyntax, "the file is not UTF-8", at: file))
        }
        var builder = TomlBuilder()
        var error = crl_toml_error()
        let outcome = bytes.withUnsafeBytes { raw in
            withUnsafeMutablePointer(to: &builder) { builder in
                // An empty buffer has no address; the parser still wants one.
                raw.baseAddress.map { text in
                    crl_toml_parse(
                        text.assumingMemoryBound(to: CChar.self), raw.count, tomlVisit,
                        UnsafeMutableRawPointer(builder),
                        &error)
                }
            }
        }
        guard outcome != -1 else { return .failure(fault(error, file)) }
        return .success(builder.root ?? TomlNode(value: .table([]), position: SourcePosition(line: 1, column: 1)))
    }

    private static func fault(_ error: crl_toml_error, _ file: String) -> Fault {
        let message = withUnsafeBytes(of: error.message) { raw in
            String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        }
        let place = error.line == 0 ? file : "\(file):\(error.line):\(error.column)"
        return Fault(.configurationSyntax, message.replacingNewlines, at: place)
    }
}

extension String {
    /// On one line: parser messages quote the line break they stumbled over.
    fileprivate var replacingNewlines: String {
        String(map { $0.isNewline ? " " : $0 })
    }
}

/// Puts the events of the walk together; a plain stack of open tables and lists.
private struct TomlBuilder {
    private struct Open {
        var key: String
        var keyPosition: SourcePosition
        var position: SourcePosition
        var isTable: Bool
        var entries: [TomlEntry] = []
        var elements: [TomlNode] = []
    }

    private var stack: [Open] = []
    var root: TomlNode?

    mutating func visit(_ event: crl_toml_event) {
        let key = text(event.key, event.key_length)
        let keyPosition = SourcePosition(line: event.key_line, column: event.key_column)
        let position = SourcePosition(line: event.line, column: event.column)
        switch Int(event.kind) {
        case CRL_TOML_TABLE_BEGIN, CRL_TOML_ARRAY_BEGIN:
            let isTable = Int(event.kind) == CRL_TOML_TABLE_BEGIN
            stack.append(Open(key: key, keyPosition: keyPosition, position: position, isTable: isTable))
        case CRL_TOML_TABLE_END, CRL_TOML_ARRAY_END: close()
        case CRL_TOML_STRING:
            add(key, keyPosition, .string(text(event.text, event.text_length)), position)
        case CRL_TOML_INTEGER: add(key, keyPosition, .integer(event.integer), position)
        case CRL_TOML_FLOAT: add(key, keyPosition, .number(event.number), position)
        case CRL_TOML_BOOLEAN: add(key, keyPosition, .boolean(event.integer != 0), position)
        default: add(key, keyPosition, .date, position)
        }
    }

    private func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
    }

    private mutating func close() {
        guard let open = stack.popLast() else { return }
        add(open.key, open.keyPosition, open.isTable ? .table(open.entries) : .array(open.elements), open.position)
    }

    private mutating func add(
        _ key: String, _ keyPosition: SourcePosition, _ value: TomlNode.Value, _ position: SourcePosition
    ) {
        let node = TomlNode(value: value, position: position)
        guard let last = stack.indices.last else {
            root = node
            return
        }
        if stack[last].isTable {
            stack[last].entries.append(TomlEntry(key: key, keyPosition: keyPosition, node: node))
        } else {
            stack[last].elements.append(node)
        }
    }
}

private func tomlVisit(_ context: UnsafeMutableRawPointer?, _ event: UnsafePointer<crl_toml_event>?) {
    guard let context, let event else { return }
    context.assumingMemoryBound(to: TomlBuilder.self).pointee.visit(event.pointee)
}
