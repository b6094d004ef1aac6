/// A member of the root object, by byte ranges of the document.
public struct JSONMember: Sendable, Hashable {
    /// The name without its quotes.
    public let name: Range<Int>
    /// Whether the name is written with escapes.
    public let nameEscaped: Bool
    /// What the value is.
    public let kind: JSONKind
    /// The value: strings without their quotes, containers with their brackets.
    public let value: Range<Int>

    /// Whether the name is `text`, escapes resolved.
    @inlinable
    public func isNamed(_ text: StaticString, in bytes: Span<UInt8>) -> Bool {
        JSONText.equals(bytes, name, escaped: nameEscaped, text)
    }
}

extension JSONScanner {
    /// Reads a document whose root must be an object and hands over each of its members in order, the last one after
    /// the whole member was checked. Members of inner objects are checked, not handed over. What was handed over before
    /// a fault is void.
    public static func forEachMember(
        _ bytes: Span<UInt8>, limits: JSONLimits = .standard, _ body: (JSONMember) -> Void
    ) throws(JSONFault) {
        try withoutActuallyEscaping(body) { body throws(JSONFault) in
            var visitor = MemberVisitor(body: body)
            try scan(bytes, limits: limits, visitor: &visitor)
            guard visitor.isObject else { throw JSONFault(.unexpectedByte, at: 0) }
        }
    }

    private struct MemberVisitor: JSONVisitor {
        let body: (JSONMember) -> Void
        var isObject = false
        var name = 0..<0
        var nameEscaped = false

        mutating func name(_ range: Range<Int>, escaped: Bool, depth: Int, in bytes: Span<UInt8>) {
            guard depth == 1 else { return }
            name = range
            nameEscaped = escaped
        }

        mutating func scalar(_ kind: JSONKind, _ range: Range<Int>, depth: Int, in bytes: Span<UInt8>) {
            report(kind, range, depth)
        }

        mutating func open(_ kind: JSONKind, at offset: Int, depth: Int) {
            if depth == 0 { isObject = kind == .object }
        }

        mutating func close(_ kind: JSONKind, _ range: Range<Int>, depth: Int) {
            report(kind, range, depth)
        }

        private func report(_ kind: JSONKind, _ range: Range<Int>, _ depth: Int) {
            guard depth == 1, isObject else { return }
            body(JSONMember(name: name, nameEscaped: nameEscaped, kind: kind, value: range))
        }
    }
}
