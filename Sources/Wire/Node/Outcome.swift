/// What became of an event. The names are used in receipts, metrics and command output.
public enum Outcome: String, Sendable, CaseIterable {
    /// Stored; not yet handed to APNs.
    case accepted
    /// APNs answered 200; nobody can know more.
    case apnsAccepted = "apns_accepted"
    /// A newer event of its key took its place before it was sent.
    case superseded
    /// It waits longer than usual: a budget, a pause of APNs; not final.
    case deferred
    /// Its `expires_at_ms` passed before it was sent.
    case expired
    /// APNs refused it, or every destination is gone; the reason says more.
    case failed
    /// It was sent and the answer was lost.
    case unknown

    /// Whether nothing more will be heard of the event.
    public var isFinal: Bool { self != .accepted && self != .deferred }
}

/// An event's outcome with its numbers: what `receipt` and `outcome` carry.
public struct EventOutcome: Hashable, Sendable {
    /// What the event was for; the instance is set.
    public var key: Key
    /// The event.
    public var id: EventID
    /// What became of it.
    public var outcome: Outcome
    /// Why, in Apple's words where they are Apple's; empty when there is nothing to add.
    public var reason: String
    /// When that was known, in milliseconds since 1970.
    public var atMilliseconds: Int64
    /// How many channels or tokens it was for.
    public var destinations: UInt32
    /// For how many of them APNs answered 200.
    public var reached: UInt32

    /// Makes an outcome.
    public init(
        key: Key, id: EventID, outcome: Outcome, reason: String = "", atMilliseconds: Int64,
        destinations: UInt32 = 1, reached: UInt32 = 0
    ) {
        self.key = key
        self.id = id
        self.outcome = outcome
        self.reason = reason
        self.atMilliseconds = atMilliseconds
        self.destinations = destinations
        self.reached = reached
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        key = try Target(&header).key(newest: 1)
        id = try header.requireEventID()
        outcome = try header.requireWord("outcome", Outcome.self)
        reason = try header.text("reason")
        atMilliseconds = try header.time("at_ms")
        destinations = try header.count("destinations")
        reached = try header.count("reached")
    }

    func write(_ header: inout HeaderWriter) {
        Target(key: key).write(&header)
        header.string("id", id.bytes)
        header.string("outcome", outcome.rawValue)
        header.text("reason", reason)
        header.integer("at_ms", atMilliseconds)
        header.integer("destinations", Int64(destinations))
        header.integer("reached", Int64(reached))
    }
}
