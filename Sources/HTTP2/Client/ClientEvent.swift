public import Codes

/// A response with everything in it.
public struct ClientResponse: Sendable, Hashable {
    /// The tag given at `submit`.
    public let tag: UInt64
    /// The final status, 200 to 599 in practice.
    public let status: Int
    /// Fields of the response without pseudo-header fields and trailers.
    public let headers: HeaderBlock
    /// The body, decoded from DATA frames only.
    public let body: [UInt8]
}

/// Why a request has no response.
public enum StreamFailure: Sendable, Hashable {
    /// The peer has not acted on it: it never left whole, it was refused, or it lies above GOAWAY's last stream.
    /// Sending it again cannot double it.
    case unprocessed
    /// It left, and what became of it is not known: reset by the peer, cancelled by us, or the connection was lost.
    case unknown(errorCode: ErrorCode)
    /// The peer answered with more than the options allow.
    case responseTooLarge
}

/// What happened on a client connection.
public enum ClientEvent: Sendable {
    /// TLS and ALPN are done; requests can be submitted.
    case connected(ConnectionInfo)
    /// How many streams the peer allows from now on, already cut to `maxOpenStreams`; 0 is possible.
    case peerLimit(Int)
    /// A request was answered.
    case response(ClientResponse)
    /// A request will not be answered.
    case streamFailed(tag: UInt64, StreamFailure)
    /// The peer takes no more requests. Streams above `lastStreamID` are reported as `unprocessed` next.
    case goAway(lastStreamID: Int32, errorCode: ErrorCode, debugData: [UInt8])
    /// The answer to `ping` came after so many nanoseconds.
    case pong(nanoseconds: Int64)
    /// The connection is over and all its tags were reported. Nil: it ended in order.
    case closed(Fault?)
}
