/// Which of the two kinds of server port a connection came in on (Docs/APNs.md 1.1).
public enum ListenerKind: String, Hashable, Sendable, CaseIterable {
    /// `/3/device` and `/4/broadcasts`.
    case send
    /// `/1/apps`.
    case manage
}

/// One request among all: the connection's number and the stream on it.
public struct RequestID: Hashable, Sendable {
    /// The number the shell gave the connection; never used again.
    public var connection: UInt64
    /// HTTP/2 stream identifier.
    public var stream: Int32

    /// Names a request.
    public init(connection: UInt64, stream: Int32) {
        self.connection = connection
        self.stream = stream
    }
}

/// A complete request as the shell read it from the wire.
public struct Request: Sendable {
    /// Which request it is.
    public var id: RequestID
    /// Method and path and what APNs reads of the other fields.
    public var fields: RequestFields
    /// What the shell found out about the `authorization` field.
    public var credential: Credential
    /// The body; at most a little over the largest limit is kept by the shell, the rest only counted.
    public var body: [UInt8]
    /// Length of the whole body in bytes, `body.count` unless it was cut.
    public var bodyLength: Int

    /// Joins the parts of a request.
    public init(
        id: RequestID, fields: RequestFields, credential: Credential, body: [UInt8], bodyLength: Int? = nil
    ) {
        self.id = id
        self.fields = fields
        self.credential = credential
        self.body = body
        self.bodyLength = bodyLength ?? body.count
    }
}
