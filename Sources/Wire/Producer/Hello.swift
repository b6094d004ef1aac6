/// `hello`: opens a session. Every connection needs its own; a node that does not know the sender answers
/// `hello-required`.
public struct Hello: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "hello"

    /// Echoed by `ready`.
    public var sequence: Int64
    /// What the client calls itself, for logs: name and version.
    public var client: String
    /// Extensions the client understands; unknown ones are ignored.
    public var capabilities: [String]

    /// Makes the message.
    public init(sequence: Int64, client: String, capabilities: [String] = []) {
        self.sequence = sequence
        self.client = client
        self.capabilities = capabilities
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        client = try header.text("client")
        capabilities = try header.strings("capabilities")
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.text("client", client)
        header.strings("capabilities", capabilities)
    }
}
