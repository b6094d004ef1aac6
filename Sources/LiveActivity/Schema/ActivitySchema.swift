/// What an app's `ActivityAttributes` type looks like to a device (Docs/APNs.md 4.4).
public struct ActivitySchema: Hashable, Sendable {
    /// Name of the type: `attributes-type` of a push-to-start.
    public let name: String
    /// Shape of the attributes.
    public let attributes: [Shape.Property]
    /// Shape of `ContentState`.
    public let contentState: [Shape.Property]
    /// A number of the content state that never falls in right operation, such as a ball or a sequence number.
    public let monotoneField: String?
    let attributesTable: SchemaTable
    let contentStateTable: SchemaTable

    /// Describes a type.
    public init(
        name: String, attributes: [Shape.Property] = [], contentState: [Shape.Property], monotoneField: String? = nil
    ) {
        self.name = name
        self.attributes = attributes
        self.contentState = contentState
        self.monotoneField = monotoneField
        attributesTable = SchemaTable(.structure(attributes))
        contentStateTable = SchemaTable(.structure(contentState))
    }

    /// Types are equal when they are described alike.
    public static func == (left: ActivitySchema, right: ActivitySchema) -> Bool {
        left.name == right.name && left.attributes == right.attributes && left.contentState == right.contentState
            && left.monotoneField == right.monotoneField
    }

    /// Hashes the name only.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ActivitySchema {
    /// Whether a `content-state`, an object with its braces, decodes.
    public func decodesState(_ bytes: Span<UInt8>) -> Bool { contentStateTable.decodes(bytes) }

    /// Whether `attributes`, an object with its braces, decode.
    public func decodesAttributes(_ bytes: Span<UInt8>) -> Bool { attributesTable.decodes(bytes) }
}

extension Shape {
    /// Whether a plain `JSONDecoder` would decode `bytes`, one whole document, into this type.
    public func decodes(_ bytes: Span<UInt8>) -> Bool { SchemaTable(self).decodes(bytes) }
}
