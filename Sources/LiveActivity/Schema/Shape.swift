/// The Swift type of a value in `ContentState` or `ActivityAttributes`, as a plain `JSONDecoder` reads it
/// (Docs/APNs.md 4.4).
public indirect enum Shape: Hashable, Sendable {
    /// A whole number, however spelled, in the range of its type.
    case integer(IntegerType)
    /// `Double`, `Float`.
    case double
    /// `Bool`: not 0 or 1.
    case boolean
    /// `String`.
    case string
    /// `Date`: a number of seconds since 2001.
    case date
    /// `URL`: a string that is not empty.
    case url
    /// `UUID`: a string in canonical form.
    case uuid
    /// `Data`: a base64 string.
    case data
    /// `Duration`: an array of two whole numbers.
    case duration
    /// `T?`: absent, `null`, or a `T`.
    case optional(Shape)
    /// `[T]` and `Set<T>`.
    case array(Shape)
    /// `[String: T]` and `[Int: T]`: an object.
    case dictionary(keysAreIntegers: Bool, Shape)
    /// `[K: T]` for any other key: keys and values alternate in an array.
    case pairs(key: Shape, Shape)
    /// `ClosedRange` of a number or date: `[lower, upper]`, lower not above upper.
    case range(Shape)
    /// `enum: String`.
    case enumeration([String])
    /// `enum: Int`.
    case numbers([Int64])
    /// An enum with associated values: an object of one member, the case, whose value is an object of its labels.
    case cases([Case])
    /// A nested struct.
    case structure([Property])

    /// `Int` and its relatives.
    public enum IntegerType: String, Hashable, Sendable, CaseIterable {
        /// 64 bits with sign.
        case int = "Int"
        /// 8 bits with sign.
        case int8 = "Int8"
        /// 16 bits with sign.
        case int16 = "Int16"
        /// 32 bits with sign.
        case int32 = "Int32"
        /// 64 bits.
        case uint = "UInt"
        /// 8 bits.
        case uint8 = "UInt8"
        /// 16 bits.
        case uint16 = "UInt16"
        /// 32 bits.
        case uint32 = "UInt32"

        /// The type of this name; `Int64` is `Int` and `UInt64` is `UInt`.
        public init?(named name: String) {
            switch name {
            case "Int64": self = .int
            case "UInt64": self = .uint
            default: self.init(rawValue: name)
            }
        }

        /// Least and largest value; the largest of `UInt` lies beyond and is looked at apart.
        var bounds: ClosedRange<Int64> {
            switch self {
            case .int: Int64.min...Int64.max
            case .int8: -128...127
            case .int16: -32_768...32_767
            case .int32: -2_147_483_648...2_147_483_647
            case .uint: 0...Int64.max
            case .uint8: 0...255
            case .uint16: 0...65_535
            case .uint32: 0...4_294_967_295
            }
        }
    }

    /// One case of an enum with associated values.
    public struct Case: Hashable, Sendable {
        /// Name of the case.
        public var name: String
        /// Its associated values; unlabelled ones are `_0`, `_1`, …
        public var values: [Property]

        /// Describes a case.
        public init(_ name: String, _ values: [Property] = []) {
            self.name = name
            self.values = values
        }
    }

    /// A named value of a struct or case.
    public struct Property: Hashable, Sendable {
        /// Coding key, exact.
        public var name: String
        /// Type.
        public var shape: Shape

        /// Describes a property.
        public init(_ name: String, _ shape: Shape) {
            self.name = name
            self.shape = shape
        }
    }

    /// Whether the value may be left out.
    var isOptional: Bool {
        if case .optional = self { true } else { false }
    }

    /// Whether it can bound a range.
    var isOrdered: Bool {
        switch self {
        case .integer, .double, .date: true
        default: false
        }
    }
}
