/// Names one request of a lane until it is answered or fails; never used twice by one table.
public struct SendID: RawRepresentable, Hashable, Sendable {
    /// Opaque.
    public let rawValue: UInt64

    /// Wraps a value that came from a table.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
}

/// One way out of a loop: the lanes of an app that share a host, and so a connection pool.
public struct Outlet: Hashable, Sendable {
    /// Index of the app in the node's configuration.
    public var app: UInt16
    /// Whether it is the broadcast host (channels) or the device host (tokens); by default both are one host.
    public var broadcast: Bool

    /// Makes an outlet.
    public init(app: UInt16, broadcast: Bool) {
        self.app = app
        self.broadcast = broadcast
    }

    /// The outlet that leads to a destination.
    public init(_ destination: Destination) {
        self.init(app: destination.app, broadcast: destination.kind == .channel)
    }

    var index: Int { Int(app) * 2 + (broadcast ? 1 : 0) }
}

/// What a lane table wants done.
public enum LaneEffect: Hashable, Sendable {
    /// Make this request now; exactly one `answered` or `failed` must follow.
    case send(SendID, Destination, PushItem)
    /// Tell the core.
    case report(LaneReport)
}

/// How a request ended without an answer.
public enum SendFailure: UInt8, Hashable, Sendable {
    /// APNs has certainly not processed it: REFUSED_STREAM, above the last stream of a GOAWAY, or never written.
    case unprocessed
    /// It may or may not have been processed: connection lost, time-out, reset with another code.
    case unknown
}
