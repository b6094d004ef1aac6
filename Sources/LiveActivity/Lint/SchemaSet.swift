public import Codes

/// The types of an app, from one schema file or several Swift sources.
public struct SchemaSet: Sendable, Hashable {
    /// All types, in the order of the file.
    public let types: [ActivitySchema]

    /// Makes a set.
    public init(_ types: [ActivitySchema]) { self.types = types }

    /// Reads a schema file. Throws `schema-unreadable` with `place`, line and column.
    public init(reading bytes: [UInt8], place: String) throws(Fault) {
        types = try ActivitySchema.read(bytes, place: place)
        guard !types.isEmpty else { throw Fault(.schemaUnreadable, "there is no type", at: place) }
    }

    /// The type of this name; nil when there is none.
    public subscript(_ name: String) -> ActivitySchema? { types.first { $0.name == name } }

    /// The set with this type only. Throws `schema-type-unknown` with a suggestion.
    public func only(_ name: String, place: String) throws(Fault) -> SchemaSet {
        guard let type = self[name] else {
            let names = types.map(\.name)
            let guess = Suggestion.phrase(for: name, among: names)
            let list = names.prefix(8).joined(separator: ", ")
            throw Fault(
                .schemaTypeUnknown, "there is no type \(name.prefix(64))\(guess); there are: \(list)", at: place)
        }
        return SchemaSet([type])
    }
}
