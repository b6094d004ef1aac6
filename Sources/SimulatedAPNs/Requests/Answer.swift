/// An answer as it goes on the wire.
public struct Answer: Hashable, Sendable {
    /// One header field.
    public struct Field: Hashable, Sendable {
        /// Lower-case name.
        public var name: String
        /// Value.
        public var value: String

        /// Makes a field.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// HTTP status.
    public var status: Int
    /// Fields after `:status`.
    public var fields: [Field]
    /// Body, empty for most.
    public var body: [UInt8]

    /// Makes an answer from its parts.
    public init(status: Int, fields: [Field] = [], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The value of a field, nil when absent.
    public func value(of name: String) -> String? { fields.first { $0.name == name }?.value }

    /// An error answer: `{"reason":…}`, with `timestamp` in milliseconds for 410 only (Docs/APNs.md 3.1).
    static func failure(_ refusal: Refusal, fields: [Field]) -> Answer {
        var text = "{\"reason\":\"\(refusal.reason.rawValue)\""
        if let since = refusal.sinceMilliseconds { text += ",\"timestamp\":\(since)" }
        text += "}"
        var fields = fields + [Field("content-type", "application/json")]
        if let seconds = refusal.retryAfterSeconds { fields.append(Field("retry-after", String(seconds))) }
        return Answer(status: refusal.reason.status, fields: fields, body: Array(text.utf8))
    }
}

/// Why a request is refused, with the time a dead token carries.
struct Refusal: Error, Hashable, Sendable {
    var reason: Reason
    var sinceMilliseconds: Int64?
    var retryAfterSeconds: Int?
    /// A fault ordered it; the request may have been faultless.
    var isOrdered: Bool

    /// Whether APNs counts it against the connection: 410 does not (Docs/APNs.md 1.3).
    var countsAgainstConnection: Bool { !isOrdered && (400..<500).contains(reason.status) && reason.status != 410 }

    init(
        _ reason: Reason, sinceMilliseconds: Int64? = nil, retryAfterSeconds: Int? = nil, isOrdered: Bool = false
    ) {
        self.reason = reason
        self.sinceMilliseconds = sinceMilliseconds
        self.retryAfterSeconds = retryAfterSeconds
        self.isOrdered = isOrdered
    }
}
