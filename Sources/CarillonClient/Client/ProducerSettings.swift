public import Messaging

/// How a `CarillonProducer` reaches its nodes and how long it waits for them.
public struct ProducerSettings: Sendable {
    /// A node's producer port.
    public struct Node: Sendable {
        /// For example `tcp://10.0.0.1:7400`.
        public var endpoint: String
        /// The node's public key; nil: no encryption, for a node with `insecure = true`.
        public var serverKey: PublicKey?

        /// Names a node.
        public init(_ endpoint: String, serverKey: PublicKey? = nil) {
            self.endpoint = endpoint
            self.serverKey = serverKey
        }
    }

    /// The nodes, tried in turn; any of them takes any event.
    public var nodes: [Node]
    /// Own certificate with its secret key; needed for nodes with a server key.
    public var certificate: Certificate?
    /// What the client calls itself in the nodes' logs.
    public var name: String
    /// How long a request or publish may take from being handed over to its answer. Then it fails with `no-answer`.
    public var answerMilliseconds: Int64 = 10_000
    /// After how long without an answer a publish is sent again, if nothing newer of its key was sent.
    public var resendMilliseconds: Int64 = 3000
    /// How long a node may take to let us in before the next one is tried.
    public var connectMilliseconds: Int64 = 3000
    /// How long a node may say nothing, not even to a ping, while something is unanswered, before the next one is
    /// tried.
    public var silenceMilliseconds: Int64 = 3000
    /// Most publishes that wait for credit; twice as many may be in the client in all.
    public var queueCapacity = 65_536
    /// Most batches of receipts that wait to be read; then the newest are dropped and counted.
    public var receiptBatches = 1024

    /// Settings for one or more nodes.
    public init(nodes: [Node], certificate: Certificate? = nil, name: String = "carillon-client") {
        self.nodes = nodes
        self.certificate = certificate
        self.name = name
    }
}
