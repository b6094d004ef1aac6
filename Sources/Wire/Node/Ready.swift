/// `ready`: the session is open.
public struct Ready: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "ready"

    /// The `hello`'s number.
    public var sequence: Int64
    /// The node's name.
    public var node: String
    /// Product and version, for logs.
    public var software: String
    /// The cluster's UUID; empty when the node has none yet.
    public var cluster: String
    /// Who the node takes the sender for: the name in its certificate; empty without CURVE.
    public var producer: String
    /// `producer`, `admin` or `node`.
    public var role: String
    /// How many publishes may be unanswered, 0…65535.
    public var credit: Int
    /// Extensions the node understands.
    public var capabilities: [String]

    /// Makes the message.
    public init(
        sequence: Int64, node: String, software: String, cluster: String = "", producer: String = "",
        role: String = "producer", credit: Int, capabilities: [String] = []
    ) {
        self.sequence = sequence
        self.node = node
        self.software = software
        self.cluster = cluster
        self.producer = producer
        self.role = role
        self.credit = credit
        self.capabilities = capabilities
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        node = try header.text("node")
        software = try header.text("software")
        cluster = try header.text("cluster")
        producer = try header.text("producer")
        role = try header.text("role")
        credit = Int(try header.require("credit", in: 0...Int64(ProducerProtocol.creditMax)))
        capabilities = try header.strings("capabilities")
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.text("node", node)
        header.text("software", software)
        header.text("cluster", cluster)
        header.text("producer", producer)
        header.text("role", role)
        header.integer("credit", Int64(credit))
        header.strings("capabilities", capabilities)
    }
}
