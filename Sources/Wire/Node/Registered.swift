/// `registered`: the answer to `register` and `unregister`, once it is on disk.
public struct Registered: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "registered"

    /// The request's number.
    public var sequence: Int64
    /// The activity's instance.
    public var instance: UInt32
    /// How many tokens follow the activity now.
    public var tokens: UInt32
    /// Whether the request changed anything: false when the token was (or was not) there already.
    public var changed: Bool

    /// Makes the message.
    public init(sequence: Int64, instance: UInt32, tokens: UInt32, changed: Bool) {
        self.sequence = sequence
        self.instance = instance
        self.tokens = tokens
        self.changed = changed
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        instance = try header.count("instance")
        tokens = try header.count("tokens")
        changed = try header.flag("changed")
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.integer("instance", Int64(instance))
        header.integer("tokens", Int64(tokens))
        header.flag("changed", changed)
    }
}
