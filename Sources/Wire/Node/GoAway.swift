/// `goaway`: the node stops; what is unanswered will be answered, new requests belong elsewhere.
public struct GoAway: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "goaway"

    /// Why, for logs.
    public var reason: String
    /// Other nodes, as ZeroMQ endpoints; empty when there are none.
    public var endpoints: [String]
    /// When the node will close the port, in milliseconds from now.
    public var afterMilliseconds: Int64

    /// Makes the message.
    public init(reason: String, endpoints: [String] = [], afterMilliseconds: Int64) {
        self.reason = reason
        self.endpoints = endpoints
        self.afterMilliseconds = afterMilliseconds
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        reason = try header.text("reason")
        endpoints = try header.strings("endpoints")
        afterMilliseconds = try header.time("after_ms")
    }

    func write(_ header: inout HeaderWriter) {
        header.text("reason", reason)
        header.strings("endpoints", endpoints)
        header.integer("after_ms", afterMilliseconds)
    }
}
