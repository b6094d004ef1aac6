public import Wire

/// How many destinations of an event had which outcome.
public struct Tally: Hashable, Sendable {
    /// Handed to lanes.
    public var offered: UInt32 = 0
    /// APNs said 200.
    public var accepted: UInt32 = 0
    /// A newer event took its place in the lane.
    public var superseded: UInt32 = 0
    /// Expired in the lane.
    public var expired: UInt32 = 0
    /// Refused for good.
    public var failed: UInt32 = 0
    /// The destination is dead.
    public var gone: UInt32 = 0
    /// Sent, answer lost.
    public var unknown: UInt32 = 0

    /// Nothing counted.
    public init() {}

    /// Destinations that have not answered.
    public var outstanding: UInt32 {
        let answered = accepted &+ superseded &+ expired &+ failed &+ gone &+ unknown
        return offered > answered ? offered - answered : 0
    }
}

/// What became of an event, told to its producer.
public struct Receipt: Hashable, Sendable {
    /// Name of the producer.
    public var producer: [UInt8]
    /// The publish request, when it came to this run of the node; else nil.
    public var origin: UInt64?
    /// The name it was published for, with its instance.
    public var key: Key
    /// The caller's event ID.
    public var eventID: [UInt8]
    /// The outcome; its reason is in it.
    public var outcome: EventOutcome
    /// The destinations that it was made of.
    public var tally: Tally
}
