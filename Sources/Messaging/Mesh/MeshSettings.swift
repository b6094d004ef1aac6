/// What a `MeshPort` needs to know.
public struct MeshSettings: Sendable {
    /// Where the control plane listens, `tcp://HOST:PORT`.
    public var control: String
    /// Where the data plane listens.
    public var data: String
    /// Who the node is towards its peers, at most 200 bytes: its ID and generation, so that a node that starts again is
    /// another peer.
    public var identity: [UInt8]
    /// The node's certificate with its secret, and whom it knows; nil: no encryption, and anybody gets in.
    public var security: Security?
    /// Most bytes that wait for one peer on the control plane; what exceeds them is dropped.
    public var controlBytesMax = 8 << 20
    /// Most bytes that wait for one peer on the data plane.
    public var dataBytesMax = 64 << 20
    /// I/O threads of the two planes; nil: whichever has least to do.
    public var ioThreads: (control: Int, data: Int)?
    /// How names become addresses; the system's resolver, unless a test has names of its own.
    public var lookUp: LookUp = MeshEndpoint.addresses(of:)

    /// Finds the addresses of a host, numeric ones in the order in which they are to be tried; none when it has none.
    /// May block. Called on any thread, also on several at a time.
    public typealias LookUp = @Sendable (_ host: String) -> [String]

    /// How nodes know each other.
    public struct Security: Sendable {
        /// ZAP domain of nodes; see `Authenticator`.
        public static let domain = "nodes"

        /// This node's certificate, with its secret.
        public var certificate: Certificate
        /// The certificates of all nodes. An `Authenticator` must let them in under `domain`.
        public var allowList: AllowList

        /// Takes both.
        public init(certificate: Certificate, allowList: AllowList) {
            self.certificate = certificate
            self.allowList = allowList
        }
    }

    /// Begins with the defaults.
    public init(control: String, data: String, identity: [UInt8], security: Security?) {
        self.control = control
        self.data = data
        self.identity = identity
        self.security = security
    }
}

/// The two planes between nodes, which share neither ports nor queues: a heartbeat never waits behind bulk.
public enum MeshPlane: Sendable, Hashable, CaseIterable {
    /// Membership, consensus, leases.
    case control
    /// Copies, catch-up, forwarded requests.
    case data
}
