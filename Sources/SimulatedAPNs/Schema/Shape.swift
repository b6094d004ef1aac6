/// The Swift type of a value in `ContentState` or `ActivityAttributes`, as a plain `JSONDecoder` reads it
/// (Docs/APNs.md 4.4).
public indirect enum Shape: Hashable, Sendable {
    /// `Int`: a number without fraction, however spelled, within 64 bits.
    case integer
    /// `Double`.
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
    /// `Duration`: an array of two numbers.
    case duration
    /// `T?`: absent, `null`, or a `T`.
    case optional(Shape)
    /// `[T]`.
    case array(Shape)
    /// `[String: T]` and `[Int: T]`: an object.
    case dictionary(keysAreIntegers: Bool, Shape)
    /// `[K: T]` for any other key: keys and values alternate in an array.
    case pairs(key: Shape, Shape)
    /// `ClosedRange<Date>`: `[lower, upper]`, lower not above upper.
    case dateRange
    /// `enum: String`.
    case enumeration([String])
    /// An enum with associated values: an object of one member, the case, whose value is an object of its labels.
    case cases([Case])
    /// A nested struct.
    case structure([Property])

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
}
