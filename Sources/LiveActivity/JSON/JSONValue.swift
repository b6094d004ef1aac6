/// A whole document as a tree, for the control plane: configuration of the simulator, answers, commands. The data path
/// never builds one.
public indirect enum JSONValue: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits.
    case integer(Int64)
    /// Any other number.
    case decimal(Double)
    /// A string, escapes resolved.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, its members in the order of the document; no name twice.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The name, escapes resolved.
        public var name: String
        /// The value.
        public var value: JSONValue

        /// Makes a member.
        public init(_ name: String, _ value: JSONValue) {
            self.name = name
            self.value = value
        }
    }

    /// Reads a document.
    public init(parsing bytes: Span<UInt8>, limits: JSONLimits = .standard) throws(JSONFault) {
        var builder = JSONTreeBuilder()
        try JSONScanner.scan(bytes, limits: limits, visitor: &builder)
        self = builder.root
    }

    /// The value of a member; nil when this is no object or has no such member.
    public subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    /// The element of an array; nil when this is no array or too short.
    public subscript(_ index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The string; nil when this is none.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The integer; nil when this is none.
    public var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// Any number; nil when this is none.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        default: nil
        }
    }

    /// The boolean; nil when this is none.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The elements; nil when this is no array.
    public var array: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members; nil when this is no object.
    public var object: [Member]? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}
