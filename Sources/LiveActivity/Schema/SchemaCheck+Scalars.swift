import Codes

/// Strings, numbers, booleans and null.
extension SchemaCheck {
    mutating func check(_ kind: JSONKind, _ range: Range<Int>, _ node: SchemaTable.Node, _ bytes: Span<UInt8>) {
        if kind == .null, node.isOptional { return }
        let matches: Bool
        switch node.kind {
        case .string: matches = kind.isString
        case .boolean: matches = kind == .bool
        case .integer(let type): matches = Self.isInteger(kind, range, type, bytes)
        case .double: matches = Self.isFinite(kind, range, bytes)
        case .date: return checkDate(kind, range, node, bytes)
        case .url: matches = kind.isString && !range.isEmpty
        case .uuid: matches = kind.isString && Self.isUUID(JSONText.bytes(bytes, range))
        case .data:
            matches = kind.isString && (range.isEmpty || PayloadRules.isPaddedBase64(JSONText.bytes(bytes, range)))
        case .enumeration: return checkName(kind, range, node, bytes)
        case .numbers: return checkNumber(kind, range, node, bytes)
        default: matches = false
        }
        guard matches else { return noteType(kind, range, node) }
        if isBound, let value = Self.number(kind, range, bytes) { checkBound(value, range) }
    }

    /// Whether the value is one of the two of a range.
    private var isBound: Bool {
        if depth > 0, case .range = top.node.kind { true } else { false }
    }

    /// Whether a number is in the range of Double; only exponents and very long numbers have to be read for that.
    private static func isFinite(_ kind: JSONKind, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        guard kind.isNumber else { return false }
        if range.count <= 300 {
            if kind == .integer { return true }
            var offset = range.lowerBound
            while offset < range.upperBound, bytes[offset] | 0x20 != UInt8(ascii: "e") { offset += 1 }
            if offset == range.upperBound { return true }
        }
        return JSONText.double(bytes, range) != nil
    }

    /// Any number as a Double; nil for what is none or too large.
    private static func number(_ kind: JSONKind, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Double? {
        guard kind.isNumber else { return nil }
        if kind == .integer, let value = JSONText.integer(bytes, range) { return Double(value) }
        return JSONText.double(bytes, range)
    }

    private mutating func noteType(_ kind: JSONKind, _ range: Range<Int>, _ node: SchemaTable.Node) {
        note(.schemaType, at: Self.start(kind, range), "\(node.kind.words), found \(kind.words)")
    }

    private static func start(_ kind: JSONKind, _ range: Range<Int>) -> Int {
        kind.isString ? range.lowerBound - 1 : range.lowerBound
    }

    private mutating func checkDate(
        _ kind: JSONKind, _ range: Range<Int>, _ node: SchemaTable.Node, _ bytes: Span<UInt8>
    ) {
        if kind.isString {
            return note(
                .schemaDateString, at: Self.start(kind, range),
                "\(node.kind.words); the device does not read ISO 8601")
        }
        guard let seconds = Self.number(kind, range, bytes) else { return noteType(kind, range, node) }
        if isBound { checkBound(seconds, range) }
        if seconds > Self.epochFrom {
            note(
                .schemaDateEpoch, at: range.lowerBound,
                "\(node.kind.words); this one lies after 2040 and was probably counted from 1970")
        }
    }

    /// The lower bound of a range must not be above the upper one.
    private mutating func checkBound(_ value: Double, _ range: Range<Int>) {
        if top.position == 1 {
            top.lower = value
            top.lowerIsKnown = true
        } else if top.position == 2, top.lowerIsKnown, top.lower > value {
            note(.schemaType, at: range.lowerBound, "the upper bound of this range lies below the lower one")
        }
    }

    private mutating func checkName(
        _ kind: JSONKind, _ range: Range<Int>, _ node: SchemaTable.Node, _ bytes: Span<UInt8>
    ) {
        guard kind.isString else { return noteType(kind, range, node) }
        let isKnown =
            kind == .string
            ? table.member(of: node, named: range, in: bytes, hint: 0) != nil
            : table.member(of: node, unescaped: JSONText.bytes(bytes, range)) != nil
        guard !isKnown else { return }
        let text = JSONText.string(bytes, range)
        let known = table.members[node.first..<node.first + node.count].lazy.map(table.name)
        let hint = known.first { Lookalike.isLike($0, text) }.map { "; spelling counts: write \($0)" } ?? ""
        note(.schemaEnum, at: range.lowerBound - 1, "the value is none of \(names(of: node))\(hint)")
    }

    private mutating func checkNumber(
        _ kind: JSONKind, _ range: Range<Int>, _ node: SchemaTable.Node, _ bytes: Span<UInt8>
    ) {
        guard Self.isInteger(kind, range, .int, bytes) else { return noteType(kind, range, node) }
        let value = JSONText.integer(bytes, range) ?? Int64(JSONText.double(bytes, range) ?? 0)
        let known = table.numbers[node.first..<node.first + node.count]
        guard !known.contains(value) else { return }
        let list = known.prefix(12).map(String.init).joined(separator: ", ")
        note(.schemaEnum, at: range.lowerBound, "the value is none of \(list)")
    }

    /// Whether a number, however spelled, is a value of the type.
    static func isInteger(
        _ kind: JSONKind, _ range: Range<Int>, _ type: Shape.IntegerType, _ bytes: Span<UInt8>
    ) -> Bool {
        guard kind.isNumber else { return false }
        if let value = JSONText.integer(bytes, range) { return type.bounds.contains(value) }
        if kind == .integer { return type == .uint && UInt64(JSONText.string(bytes, range)) != nil }
        // By conversion, as the library's rounding would need the C library.
        guard let value = JSONText.double(bytes, range), value.magnitude < 9_223_372_036_854_775_808 else {
            return false
        }
        let whole = Int64(value)
        return Double(whole) == value && type.bounds.contains(whole)
    }

    /// 8-4-4-4-12 hexadecimal digits of either case.
    static func isUUID(_ text: [UInt8]) -> Bool {
        guard text.count == 36 else { return false }
        return text.indices.allSatisfy { index in
            switch index {
            case 8, 13, 18, 23: text[index] == UInt8(ascii: "-")
            default: JSONText.hexDigit(text[index]) != nil
            }
        }
    }
}
