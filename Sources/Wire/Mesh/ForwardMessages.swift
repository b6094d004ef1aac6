/// A producer's or admin's request on its way to the node that can answer it. The sender has authenticated the caller,
/// checked what it may do and inspected the payload.
public struct Forward: Hashable, Sendable {
    /// The sender's number; comes back with the answer and with receipts.
    public var request: UInt64
    /// How many nodes have handed it on already; one that has been handed on twice is refused.
    public var hops: UInt8
    /// The caller's name.
    public var user: [UInt8]
    /// The session that it came in, so that receipts find back.
    public var session: UInt64
    /// The frames of the producer's message.
    public var frames: [[UInt8]]

    /// Makes a forward.
    public init(request: UInt64, hops: UInt8, user: [UInt8], session: UInt64, frames: [[UInt8]]) {
        self.request = request
        self.hops = hops
        self.user = user
        self.session = session
        self.frames = frames
    }
}

/// What comes back.
public struct Forwarded: Hashable, Sendable {
    /// The request.
    public var request: UInt64
    /// The caller's session.
    public var session: UInt64
    /// Whether it is the answer, after which nothing but receipts comes, or a receipt.
    public var isAnswer: Bool
    /// The frames for the producer.
    public var frames: [[UInt8]]

    /// Makes an answer or a receipt.
    public init(request: UInt64, session: UInt64, isAnswer: Bool, frames: [[UInt8]]) {
        self.request = request
        self.session = session
        self.isAnswer = isAnswer
        self.frames = frames
    }
}

/// Everything that travels on the data plane.
public enum DataMessage: Hashable, Sendable {
    /// Copies and catch-up.
    case replication(ReplicationMessage)
    /// A request for another node.
    case forward(Forward)
    /// Its answer or a receipt.
    case forwarded(Forwarded)
}
