/// What goes wrong on purpose; switched while the world runs.
public struct Faults: Hashable, Sendable {
    /// A device that does wrong, so that a checker can prove that it would notice.
    public enum Sabotage: String, Hashable, Sendable, CaseIterable {
        /// Every message is answered 200 but delivered only when one comes that says something else: the last one never
        /// is, however often a new owner sends it again.
        case dropLast = "drop-last"
        /// Devices get every second message after its successor and obey no stamp rule.
        case reorder
        /// Every alert is delivered twice and rings twice.
        case doubleRing = "double-ring"
    }

    /// One request in so many is carried out but never answered; 0: none.
    public var unansweredOneIn: Int
    /// One request in so many is reset with REFUSED_STREAM and not carried out (RFC 9113 8.7); 0: none.
    public var refusedOneIn: Int
    /// A connection that has had so many requests is cut without a word, the last one carried out and unanswered; 0:
    /// none.
    public var cutAfter: Int
    /// Streams that every connection is allowed from now on, 0 too; nil: as the rules say.
    public var streams: Int?
    /// A connection that has had so many requests gets GOAWAY; 0: none.
    public var goAwayAfter: Int
    /// So many further requests come in before that GOAWAY leaves. They lie above its last stream and are not carried
    /// out.
    public var goAwayLag: Int
    /// The reason in the debug data of that GOAWAY (Docs/APNs.md 1.4); nil: empty debug data.
    public var goAwayReason: Reason?
    /// Requests still to be refused with `burstReason`.
    public var burstRemaining: Int
    /// The reason of a burst: `TooManyRequests`, `ServiceUnavailable`, `InternalServerError`, `Shutdown` or any other.
    public var burstReason: Reason
    /// `retry-after` in seconds on the answers of a burst; nil: none, as Apple documents none.
    public var burstRetryAfterSeconds: Int?
    /// Deliveries take up to so long, by chance, so that they overtake each other; 0: at once.
    public var reorderMilliseconds: Int64
    /// One delivery in so many is lost; 0: none.
    public var lostOneIn: Int
    /// Deliberate misbehaviour of delivery and devices.
    public var sabotage: Sabotage?

    /// Nothing wrong unless said otherwise.
    public init(
        unansweredOneIn: Int = 0, refusedOneIn: Int = 0, cutAfter: Int = 0, streams: Int? = nil, goAwayAfter: Int = 0,
        goAwayLag: Int = 0, goAwayReason: Reason? = nil,
        burstRemaining: Int = 0, burstReason: Reason = .tooManyRequests, burstRetryAfterSeconds: Int? = nil,
        reorderMilliseconds: Int64 = 0, lostOneIn: Int = 0, sabotage: Sabotage? = nil
    ) {
        self.unansweredOneIn = unansweredOneIn
        self.refusedOneIn = refusedOneIn
        self.cutAfter = cutAfter
        self.streams = streams
        self.goAwayAfter = goAwayAfter
        self.goAwayLag = goAwayLag
        self.goAwayReason = goAwayReason
        self.burstRemaining = burstRemaining
        self.burstReason = burstReason
        self.burstRetryAfterSeconds = burstRetryAfterSeconds
        self.reorderMilliseconds = reorderMilliseconds
        self.lostOneIn = lostOneIn
        self.sabotage = sabotage
    }
}
