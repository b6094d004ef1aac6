/// The headers that go with a payload, as names and values; names are compared without regard to case.
public struct RequestHeaders: Sendable, Hashable {
    /// What APNs keeps for devices that are offline (Docs/APNs.md 3.3).
    public enum StoragePolicy: UInt8, Sendable {
        /// No Message Stored.
        case none = 0
        /// Most Recent Message Stored.
        case mostRecent = 1
    }

    /// One header.
    public struct Field: Sendable, Hashable {
        /// In lower case.
        public let name: String
        /// As it is sent.
        public let value: String
    }

    /// In the order given.
    public private(set) var fields: [Field] = []
    /// The policy of the channel; nil when it is not known or there is none.
    public var policy: StoragePolicy?

    /// Makes headers; what is not among them is not sent.
    public init(_ fields: [(name: String, value: String)] = [], policy: StoragePolicy? = nil) {
        self.policy = policy
        for field in fields { add(field.name, field.value) }
    }

    /// Adds a header.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name.lowercased(), value: value))
    }

    /// Value of the first header of this name; nil when it is not sent.
    public subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}
