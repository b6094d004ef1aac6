/// Where something stands.
struct SourcePlace: Hashable {
    let file: Int
    let offset: Int
}

/// A type as it is spelled.
indirect enum TypeSpelling {
    /// `Name`, `Outer.Inner`, `Name<Argument>`.
    case named([String], arguments: [TypeSpelling], SourcePlace)
    case optional(TypeSpelling)
    case array(TypeSpelling)
    case dictionary(key: TypeSpelling, value: TypeSpelling)
    /// What no schema can be made of: a tuple, a function, …
    case other(String, SourcePlace)
}

/// A stored property.
struct SourceProperty {
    let name: String
    /// Nil when only the initial value tells it and does not tell enough.
    var type: TypeSpelling?
    /// A constant with a value is never decoded.
    var isDecoded: Bool
    /// Why no schema can be made of it.
    var problem: String?
    let place: SourcePlace
}

/// A case of an enum.
struct SourceCase {
    let name: String
    /// The literal behind `=`.
    let rawValue: SourceToken?
    let isNegative: Bool
    let values: [(label: String?, type: TypeSpelling)]
    let place: SourcePlace
}

/// A type that the source declares, or what an extension adds to one.
struct SourceType {
    enum Kind {
        case structure
        case enumeration
        case alias(TypeSpelling)
        case `extension`
        /// A class, an actor, a protocol.
        case other(String)
    }

    var kind: Kind
    /// The last part of it for an extension of an inner type.
    var name: String
    /// Names of what it inherits from or conforms to.
    var parents: [String] = []
    var isGeneric = false
    var properties: [SourceProperty] = []
    var cases: [SourceCase] = []
    var types: [SourceType] = []
    /// Where it declares `init(from:)`: then its JSON is its own affair.
    var decoder: SourcePlace?
    let place: SourcePlace
    /// For an extension: the path of what it extends.
    var extended: [String] = []

    func type(_ name: String) -> SourceType? { types.first { $0.name == name } }

    /// Adds what an extension declares to the type of this path; false when there is none.
    mutating func extend(_ path: ArraySlice<String>, by addition: SourceType) -> Bool {
        guard let first = path.first else {
            parents += addition.parents
            types += addition.types
            decoder = decoder ?? addition.decoder
            return true
        }
        guard let index = types.firstIndex(where: { $0.name == first }) else { return false }
        return types[index].extend(path.dropFirst(), by: addition)
    }
}
