/// What an app's `ActivityAttributes` type looks like to the simulated devices.
public struct ActivitySchema: Hashable, Sendable {
    /// Name of the type: `attributes-type` of a push-to-start.
    public var name: String
    /// Shape of the attributes.
    public var attributes: [Shape.Property]
    /// Shape of `ContentState`.
    public var contentState: [Shape.Property]
    /// A number of the content state that never falls in right operation, such as a ball or a sequence number.
    public var monotoneField: String?

    /// Describes a type.
    public init(
        name: String, attributes: [Shape.Property] = [], contentState: [Shape.Property], monotoneField: String? = nil
    ) {
        self.name = name
        self.attributes = attributes
        self.contentState = contentState
        self.monotoneField = monotoneField
    }
}
