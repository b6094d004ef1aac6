/// What came back for one request, already read from headers and body by the shell.
public struct Answer: Hashable, Sendable {
    /// The HTTP status.
    public var status: UInt16
    /// `reason` of the body; nil when there was none or it could not be read.
    public var reason: Reason?
    /// `retry-after` in milliseconds. No Apple page mentions it; honoured when it comes.
    public var retryAfterMilliseconds: Int64?
    /// `timestamp` of a 410 body: when APNs knew the token was dead, in milliseconds since 1970.
    public var sinceMilliseconds: Int64?

    /// Makes an answer.
    public init(
        status: UInt16, reason: Reason? = nil, retryAfterMilliseconds: Int64? = nil, sinceMilliseconds: Int64? = nil
    ) {
        self.status = status
        self.reason = reason
        self.retryAfterMilliseconds = retryAfterMilliseconds
        self.sinceMilliseconds = sinceMilliseconds
    }

    /// Apple's reason, or `HTTP <status>` when none came.
    public var text: String { reason?.text ?? "HTTP \(status)" }
}
