public import Codes

/// A request with everything in it.
public struct ServerRequest: Sendable, Hashable {
    /// Names the request on its connection.
    public let stream: Int32
    /// The `:method`.
    public let method: [UInt8]
    /// The `:path`.
    public let path: [UInt8]
    /// Fields without pseudo-header fields and trailers.
    public let headers: HeaderBlock
    /// The body, or its first `maxBodyBytes`.
    public let body: [UInt8]
    /// The body was longer than `maxBodyBytes`.
    public let bodyTooLarge: Bool
}

/// What happened on a server connection.
public enum ServerEvent: Sendable {
    /// TLS and ALPN are done.
    case connected(ConnectionInfo)
    /// A whole request arrived; answer it with `respond` or `reset`.
    case request(ServerRequest)
    /// A reported request is over: answered (`noError`) or reset by either side. It cannot be answered any more.
    case streamClosed(stream: Int32, errorCode: ErrorCode)
    /// The client takes its leave, or complains.
    case goAway(errorCode: ErrorCode)
    /// The connection is over; requests that were open are gone without `streamClosed`. Nil: it ended in order.
    case closed(Fault?)
}
