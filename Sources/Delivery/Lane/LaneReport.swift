/// What a lane tells the core, in batches.
public struct LaneReport: Sendable, Hashable {
    /// What became of an item on one destination.
    public enum Outcome: Sendable, Hashable {
        /// APNs answered 200.
        case accepted
        /// A newer item took its place before it was sent.
        case superseded
        /// Its `expiresAt` passed before it was sent.
        case expired
        /// Its stamp is older than 10 s (stamp rule S2): the core must give it a fresh one and offer it again. When the
        /// important one of two waiting items is stale, both come back, the important one first, so that they can be
        /// stamped anew in their order.
        case stale
        /// APNs refused it for good; `reason` in Apple's words or `HTTP <status>`.
        case failed(status: UInt16, reason: String)
        /// The destination is dead (410, BadDeviceToken …); `sinceMilliseconds` is APNs' timestamp when it gave one.
        case gone(status: UInt16, reason: String, sinceMilliseconds: Int64?)
        /// It was sent and the answer was lost; a newer item made sending again pointless, the attempts are used
        /// up, or it was a push-to-start, which is sent at most once.
        case unknown
        /// Not taken: the loop holds as many lanes as it may and all are busy. Offer it again later.
        case overloaded
        /// It could not be sent yet and waits to be tried again; `reason` says why. Not final.
        case deferred(reason: String)
    }

    /// The lane's destination.
    public var destination: Destination
    /// `PushItem.ticket`.
    public var ticket: UInt64
    /// `PushItem.sequence`.
    public var sequence: UInt64
    /// What became of it.
    public var outcome: Outcome
    /// Whether a request of it left whose answer was lost: the device may have it and may have rung. A new version made
    /// from it (after `stale`) must be quiet. True as well when the item was quiet itself and is to be offered again:
    /// then an earlier version may have arrived.
    public var mayHaveArrived: Bool

    /// Whether nothing more will be heard of this item.
    public var isFinal: Bool {
        if case .deferred = outcome { return false }
        return true
    }

    /// Makes a report.
    public init(
        destination: Destination, ticket: UInt64, sequence: UInt64, outcome: Outcome, mayHaveArrived: Bool = false
    ) {
        self.destination = destination
        self.ticket = ticket
        self.sequence = sequence
        self.outcome = outcome
        self.mayHaveArrived = mayHaveArrived
    }
}
