import Wire

/// The probe of the current interval.
struct Probe: Hashable, Sendable {
    var sequence: UInt32
    var node: NodeID
    /// What is doubted when nobody answers.
    var incarnation: Incarnation
    /// When others are asked, in milliseconds since boot; nil when they were, or need not be.
    var askDeadline: Int64?
    /// When the interval is over.
    var end: Int64
    /// Who was asked.
    var relays: [NodeID] = []
    /// Who of these said that it is well.
    var nacks: [NodeID] = []
    var isAnswered = false
}

/// A ping for somebody else.
struct Relay: Hashable, Sendable {
    var sequence: UInt32
    /// Who is asked.
    var node: NodeID
    /// Who wants to know, and under which sequence.
    var origin: NodeID
    var originSequence: UInt32
    /// When `nack` is due; nil when it was sent.
    var nackDeadline: Int64?
    /// When nobody waits any more.
    var end: Int64
}

/// A ping that left, for the round-trip time.
struct SentPing: Hashable, Sendable {
    var sequence: UInt32
    var node: NodeID
    var bootMilliseconds: Int64
}

/// A dated note that a refusal was told.
struct ToldRefusal: Hashable, Sendable {
    var sender: NodeID
    var reason: RefusalReason
    var bootMilliseconds: Int64
}
