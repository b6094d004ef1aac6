extension Shape {
    /// Reads a Swift type by its spelling, such as `[String: Int]?`; nil for what the schema language has not.
    public init?(named text: String) {
        var reader = ShapeNameReader(text)
        guard let shape = reader.type(depth: 0), reader.isAtEnd else { return nil }
        self = shape
    }
}

extension Shape {
    /// The dictionary with these keys: an object for `String` and `Int`, otherwise an array.
    static func dictionary(from key: Shape, to value: Shape) -> Shape {
        switch key {
        case .string: .dictionary(keysAreIntegers: false, value)
        case .integer(.int): .dictionary(keysAreIntegers: true, value)
        default: .pairs(key: key, value)
        }
    }
}

/// Recursive descent over a type's spelling.
private struct ShapeNameReader {
    private static let depthMax = 16
    private let text: [UInt8]
    private var place = 0

    init(_ text: String) { self.text = Array(text.utf8) }

    var isAtEnd: Bool { place == text.count }

    mutating func type(depth: Int) -> Shape? {
        guard depth < Self.depthMax, var shape = base(depth) else { return nil }
        while take("?") {
            if !shape.isOptional { shape = .optional(shape) }
        }
        return shape
    }

    private mutating func base(_ depth: Int) -> Shape? {
        if take("[") { return collection(depth) }
        let name = word()
        if let integer = Shape.IntegerType(named: name) { return .integer(integer) }
        switch name {
        case "Double", "Float": return .double
        case "Bool": return .boolean
        case "String": return .string
        case "Date": return .date
        case "URL": return .url
        case "UUID": return .uuid
        case "Data": return .data
        case "Duration": return .duration
        case "ClosedRange": return range(depth)
        default: return nil
        }
    }

    private mutating func range(_ depth: Int) -> Shape? {
        guard take("<"), let bound = type(depth: depth + 1), bound.isOrdered, take(">") else { return nil }
        return .range(bound)
    }

    private mutating func collection(_ depth: Int) -> Shape? {
        guard let first = type(depth: depth + 1) else { return nil }
        guard take(":") else { return take("]") ? .array(first) : nil }
        guard let value = type(depth: depth + 1), take("]") else { return nil }
        return .dictionary(from: first, to: value)
    }

    private mutating func word() -> String {
        skipSpaces()
        let start = place
        while place < text.count, isLetter(text[place]) { place += 1 }
        return String(decoding: text[start..<place], as: UTF8.self)
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpaces()
        guard place < text.count, text[place] == character.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func skipSpaces() {
        while place < text.count, text[place] == UInt8(ascii: " ") { place += 1 }
    }

    private func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}
