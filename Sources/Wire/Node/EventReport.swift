/// An event's outcome with its numbers: what `receipt` and `outcome` carry.
public struct EventReport: Hashable, Sendable {
    /// How the event's channel or tokens fared.
    public struct Counts: Hashable, Sendable {
        /// How many channels or tokens it was for.
        public var destinations: UInt32 = 0
        /// For how many of them APNs answered 200.
        public var reached: UInt32 = 0
        /// For how many a newer event took its place.
        public var superseded: UInt32 = 0
        /// For how many it was of no more use.
        public var expired: UInt32 = 0
        /// For how many APNs refused it.
        public var failed: UInt32 = 0
        /// How many turned out to be dead.
        public var gone: UInt32 = 0
        /// For how many the answer was lost.
        public var unknown: UInt32 = 0

        /// All zero.
        public init() {}
    }

    /// What the event was for; the instance is set.
    public var key: Key
    /// The event.
    public var id: EventID
    /// What became of it.
    public var outcome: Outcome
    /// Why, in Apple's words where they are Apple's; empty when there is nothing to add.
    public var reason: String
    /// When that was known, in milliseconds since 1970; 0 when that is not known.
    public var atMilliseconds: Int64
    /// How its channel or tokens fared.
    public var counts: Counts

    /// Makes a report.
    public init(
        key: Key, id: EventID, outcome: Outcome, reason: String = "", atMilliseconds: Int64 = 0,
        counts: Counts = Counts()
    ) {
        self.key = key
        self.id = id
        self.outcome = outcome
        self.reason = reason
        self.atMilliseconds = atMilliseconds
        self.counts = counts
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        key = try Target(&header).key(newest: 1)
        id = try header.requireEventID()
        outcome = try header.requireWord("outcome", Outcome.self)
        reason = try header.text("reason")
        atMilliseconds = try header.time("at_ms")
        counts = Counts()
        counts.destinations = try header.count("destinations")
        counts.reached = try header.count("reached")
        counts.superseded = try header.count("superseded")
        counts.expired = try header.count("expired")
        counts.failed = try header.count("failed")
        counts.gone = try header.count("gone")
        counts.unknown = try header.count("unknown")
    }

    func write(_ header: inout HeaderWriter) {
        Target(key: key).write(&header)
        header.string("id", id.bytes)
        header.string("outcome", outcome.rawValue)
        header.text("reason", reason)
        header.count("at_ms", atMilliseconds)
        header.count("destinations", Int64(counts.destinations))
        header.count("reached", Int64(counts.reached))
        header.count("superseded", Int64(counts.superseded))
        header.count("expired", Int64(counts.expired))
        header.count("failed", Int64(counts.failed))
        header.count("gone", Int64(counts.gone))
        header.count("unknown", Int64(counts.unknown))
    }
}
