/// Names one connection of one pool; never used twice.
public struct ConnectionID: RawRepresentable, Hashable, Sendable {
    /// Counts up from 1.
    public let rawValue: UInt64

    /// Wraps a value that came from a pool.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// What a pool wants done.
public enum PoolEffect: Hashable, Sendable {
    /// Resolve the host anew and open a connection; `opened` or `closed` must follow.
    case connect(ConnectionID)
    /// Close it now, whatever is under way on it; `closed` must follow.
    case close(ConnectionID, CloseReason)
    /// Send a PING; `pong` may follow.
    case ping(ConnectionID)
    /// We, not the peer, end it: start no more requests, let those under way finish. `close` follows.
    case drain(ConnectionID)
    /// Something that an operator should know.
    case report(PoolReport)
}

/// Why a pool closes a connection.
public enum CloseReason: UInt8, Hashable, Sendable {
    /// Its last request has ended.
    case drained
    /// Its last requests took longer than a draining connection may.
    case drainTimeout
    /// It was not ready in time.
    case connectTimeout
    /// A PING was not answered.
    case silent
    /// It was still being opened when the pool no longer wanted it.
    case unwanted
}

/// Why a connection ended, as the shell saw it.
public enum CloseCause: UInt8, Hashable, Sendable {
    /// Name resolution, TCP or TLS trouble, end of stream, reset: may pass.
    case transient
    /// The pool asked for it.
    case asked
    /// The peer refused our certificate in the handshake.
    case credentialsRefused
}

/// How a request ended, as far as its connection is concerned.
public enum RequestEnd: Hashable, Sendable {
    /// With an answer.
    case answered(Verdict)
    /// Reset by the peer, unprocessed or not.
    case reset
    /// Given up by us after its time-out.
    case timedOut
}

/// What an operator should know about a pool.
public enum PoolReport: Hashable, Sendable {
    /// APNs refuses the credentials: nothing is sent until a trial succeeds. `reason` in Apple's words.
    case credentialsRefused(reason: String, retryInMilliseconds: Int64)
    /// A trial succeeded.
    case credentialsAccepted
    /// A connection has so many errors that it is used less.
    case distrusted(ConnectionID)
    /// It is used fully again.
    case trusted(ConnectionID)
    /// A connection is needed, but too many were opened lately.
    case churnLimited
}

/// What a pool counted since it was made.
public struct PoolCounters: Hashable, Sendable {
    /// Connections asked for.
    public var connects = 0
    /// Connections that ended before their first answer.
    public var failedConnects = 0
    /// GOAWAY frames on connections that took requests.
    public var goAways = 0
    /// Requests started.
    public var started = 0
    /// Requests started on a connection that had no room: the shell did not ask `choose`.
    public var overcommitted = 0
    /// Inputs for connections that the pool does not know or has given up.
    public var ignored = 0
    /// Times that the circuit opened.
    public var refusals = 0

    /// All zero.
    public init() {}
}
