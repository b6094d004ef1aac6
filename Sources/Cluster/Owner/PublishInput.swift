public import LiveActivity
public import Wire

/// One event as the core takes it.
public struct PublishInput: Hashable, Sendable {
    /// The caller's connection and request.
    public var origin: UInt64
    /// Name of the producer, for receipts.
    public var producer: [UInt8]
    /// Index of the app.
    public var app: UInt16
    /// App, kind and name; its instance is not looked at.
    public var key: Key
    /// The instance that the producer named; nil means the newest.
    public var instance: UInt32?
    /// The caller's event ID, 1…64 bytes.
    public var eventID: [UInt8]
    /// start, update or end.
    public var event: EventKind
    /// Keeps a waiting place of its own until sent or expired.
    public var important: Bool
    /// `apns-priority`: 5 or 10.
    public var priority: UInt8
    /// The producer's revision; a lower one than the record's is refused.
    public var revision: Int64?
    /// Not to be sent earlier, in milliseconds since 1970.
    public var notBeforeMilliseconds: Int64?
    /// Of no use later, in milliseconds since 1970.
    public var expiresAtMilliseconds: Int64?
    /// For a start of an activity: whom it is for. Nil starts nothing anywhere.
    public var audience: StartAudience?
    /// The payload as the producer wrote it.
    public var payload: [UInt8]
    /// Where stamp and alert lie in it.
    public var layout: PayloadLayout
    /// Whether `receipt` effects are wanted for it.
    public var wantsReceipts: Bool

    /// Makes an event; what is left out is absent or has the protocol's default.
    public init(
        origin: UInt64, producer: [UInt8], app: UInt16, key: Key, instance: UInt32? = nil, eventID: [UInt8],
        event: EventKind, important: Bool = false, priority: UInt8 = 5, revision: Int64? = nil,
        notBeforeMilliseconds: Int64? = nil, expiresAtMilliseconds: Int64? = nil,
        audience: StartAudience? = nil, payload: [UInt8], layout: PayloadLayout, wantsReceipts: Bool = true
    ) {
        self.origin = origin
        self.producer = producer
        self.app = app
        self.key = key
        self.instance = instance
        self.eventID = eventID
        self.event = event
        self.important = important
        self.priority = priority
        self.revision = revision
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.audience = audience
        self.payload = payload
        self.layout = layout
        self.wantsReceipts = wantsReceipts
    }
}
