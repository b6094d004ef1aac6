/// Builds a `JSONValue` while the document is scanned.
struct JSONTreeBuilder: JSONVisitor {
    private(set) var root = JSONValue.null
    private var open: [Container] = []

    private struct Container {
        let kind: JSONKind
        var elements: [JSONValue] = []
        var members: [JSONValue.Member] = []
        var name = ""
    }

    mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
        open[open.count - 1].name = JSONText.string(bytes, range)
    }

    mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
        add(Self.value(kind, range, bytes))
    }

    mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
        open.append(Container(kind: kind))
    }

    mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
        guard let container = open.popLast() else { return }
        add(kind == .object ? .object(container.members) : .array(container.elements))
    }

    private mutating func add(_ value: JSONValue) {
        guard !open.isEmpty else {
            root = value
            return
        }
        let last = open.count - 1
        if open[last].kind == .object {
            open[last].members.append(JSONValue.Member(open[last].name, value))
        } else {
            open[last].elements.append(value)
        }
    }

    private static func value(_ kind: JSONKind, _ range: Range<Int>, _ bytes: Span<UInt8>) -> JSONValue {
        switch kind {
        case .string, .escapedString: .string(JSONText.string(bytes, range))
        case .integer:
            JSONText.integer(bytes, range).map { .integer($0) } ?? .decimal(JSONText.double(bytes, range) ?? .infinity)
        case .decimal: .decimal(JSONText.double(bytes, range) ?? .infinity)
        case .bool: .bool(JSONText.bool(bytes, range) ?? false)
        case .null, .object, .array: .null
        }
    }
}
