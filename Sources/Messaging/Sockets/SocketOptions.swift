/// Every libzmq option that matters, said outright: the library's own defaults wait for ever or queue without bound.
public struct SocketOptions: Sendable {
    /// How long closing may wait for what is still to be sent.
    public var lingerMilliseconds: Int32 = 2000
    /// Most messages that wait to be sent to one peer.
    public var sendHighWater: Int32 = 10_000
    /// Most messages of one peer that wait to be received.
    public var receiveHighWater: Int32 = 10_000
    /// Largest frame; a peer that sends a larger one is disconnected before it is stored.
    public var frameBytesMax: Int64 = 65_536
    /// Most frames of a message, the routing identity not counted; longer messages are read to their end and dropped.
    public var framesMax: Int = 3
    /// ZMTP pings on idle connections; 0: none.
    public var heartbeatMilliseconds: Int32 = 5000
    /// How long a ping may go unanswered, and how long the peer may hear nothing from us.
    public var heartbeatTimeoutMilliseconds: Int32 = 15_000
    /// How long a connection may take for greeting, CURVE and ZAP.
    public var handshakeMilliseconds: Int32 = 5000
    /// How long connecting may take.
    public var connectMilliseconds: Int32 = 5000
    /// Seconds of silence before the kernel probes the connection.
    public var keepAliveIdleSeconds: Int32 = 30
    /// First wait before connecting again.
    public var reconnectMilliseconds: Int32 = 100
    /// Longest wait before connecting again: it doubles up to this.
    public var reconnectMillisecondsMax: Int32 = 3000
    /// ROUTER: sending to a peer that is gone or full is an error, not silence.
    public var routerMandatory = true
    /// ROUTER: a new connection may take over the routing identity of an old one. For peers that choose their identity
    /// and may be restarted; not for producers, where one could take over another's.
    public var routerHandover = false
    /// DEALER: nothing is ever received. Messages then go only to a peer that is connected, and what waits for one that
    /// is lost is dropped with it.
    public var isWriteOnly = false
    /// Which of the context's I/O threads carries the socket's connections, from 0; nil: whichever has least to do.
    public var ioThread: Int?
    /// The socket's own routing identity, 1…255 bytes; nil: the peer makes one.
    public var routingID: [UInt8]?
    /// Waiting connections of the listening socket.
    public var backlog: Int32 = 256
    /// How peers are told apart.
    public var security: Security = .insecure

    /// The defaults above.
    public init() {}
}

/// How a socket authenticates.
public enum Security: Sendable {
    /// ZMTP NULL: no encryption, anybody gets in. Only when the configuration says so.
    case insecure
    /// Encrypts, and asks the ZAP handler of the context about every client. `certificate` needs its secret key.
    case server(certificate: Certificate, domain: String = Security.domain)
    /// Encrypts towards a server whose public key is known. `certificate` needs its secret key.
    case client(certificate: Certificate, serverKey: PublicKey)

    /// The ZAP domain of Carillon's sockets unless another is given. Peers never see it.
    public static let domain = "carillon"
}
