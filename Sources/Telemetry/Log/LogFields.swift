/// The value of a log field.
public enum LogValue: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Text; longer than `LogLine.valueBytesMax` is cut.
    case string(String)
    /// A whole number.
    case integer(Int64)
    /// A fraction; not a number and infinities are written as text.
    case number(Double)
    /// true or false.
    case boolean(Bool)

    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A fraction.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// true or false.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// Any integer; one beyond Int64 is written as its nearest bound.
    public static func count(_ value: some BinaryInteger) -> LogValue { .integer(Int64(clamping: value)) }

    /// How a value describes itself. Never pass tokens, payloads or keys: see `Redacted`.
    public static func text(_ value: some CustomStringConvertible) -> LogValue { .string(value.description) }
}

/// The variable part of a log line, in the order written. Keys are dotted lower-case words: `event.id`, `apns.reason`.
public struct LogFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Key and value pairs.
    public var pairs: [(key: String, value: LogValue)]

    /// `["event.id": .string(id), "copies": 2]`.
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements.map { (key: $0.0, value: $0.1) }
    }

    /// Adds one field.
    public mutating func append(_ key: String, _ value: LogValue) {
        pairs.append((key, value))
    }

    /// Equal when keys and values are, in order.
    public static func == (left: LogFields, right: LogFields) -> Bool {
        left.pairs.count == right.pairs.count
            && zip(left.pairs, right.pairs).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    }
}
