/// What a value is, as far as its spelling tells.
public enum JSONKind: UInt8, Sendable, Hashable {
    /// `{…}`; its range goes from the opening to after the closing brace.
    case object
    /// `[…]`; its range goes from the opening to after the closing bracket.
    case array
    /// A string without escapes: the bytes of its range are its contents. The range leaves out the quotes.
    case string
    /// A string with at least one escape; read it with `JSONText.string`. The range leaves out the quotes.
    case escapedString
    /// A number without fraction and exponent, of any size.
    case integer
    /// A number with a fraction or an exponent.
    case decimal
    /// `true` or `false`.
    case bool
    /// `null`.
    case null

    /// Whether it is a string of either form.
    @inlinable
    public var isString: Bool { self == .string || self == .escapedString }

    /// Whether it is a number of either form.
    @inlinable
    public var isNumber: Bool { self == .integer || self == .decimal }

    /// The word for messages: `an object`, `a string`, …
    public var words: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string, .escapedString: "a string"
        case .integer, .decimal: "a number"
        case .bool: "a boolean"
        case .null: "null"
        }
    }
}
