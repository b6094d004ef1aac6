public import LiveActivity

/// One version of a record on its way to one or many destinations: everything a request needs except the destination.
public struct PushItem: Sendable, Hashable {
    /// Names the key towards the core that offered it; opaque here.
    public var ticket: UInt64
    /// Sequence number of the version within the key: a higher one is newer.
    public var sequence: UInt64
    /// `aps.timestamp` in whole seconds since 1970 (the stamp).
    public var stampSeconds: Int64
    /// update or end (or start for a push-to-start token).
    public var event: EventKind
    /// Keeps the important place of the lane until sent or expired.
    public var important: Bool
    /// Send without the alert member: a replay never rings.
    public var quiet: Bool
    /// `apns-priority`: 5 or 10.
    public var priority: UInt8
    /// `apns-expiration` in seconds since 1970; 0 is one attempt, not stored.
    public var expirationSeconds: Int64
    /// When the event is of no more use, in milliseconds since 1970; nil: never.
    public var expiresAtMilliseconds: Int64?
    /// The payload as the producer wrote it.
    public var payload: [UInt8]
    /// Where the stamp and the alert lie in it.
    public var layout: PayloadLayout

    /// Makes an item from its parts.
    public init(
        ticket: UInt64, sequence: UInt64, stampSeconds: Int64, event: EventKind, important: Bool, quiet: Bool,
        priority: UInt8, expirationSeconds: Int64, expiresAtMilliseconds: Int64?, payload: [UInt8],
        layout: PayloadLayout
    ) {
        self.ticket = ticket
        self.sequence = sequence
        self.stampSeconds = stampSeconds
        self.event = event
        self.important = important
        self.quiet = quiet
        self.priority = priority
        self.expirationSeconds = expirationSeconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.payload = payload
        self.layout = layout
    }
}
