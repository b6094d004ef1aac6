public import LiveActivity

/// Whether an instance still takes events.
public enum RecordState: UInt8, Sendable, CaseIterable {
    /// It takes events.
    case live = 1
    /// Its `end` was accepted; final.
    case ended = 2

    /// The word of the protocol and the command line.
    public var name: String { self == .live ? "live" : "ended" }
}

/// The most recent message of a name: what is stored, copied and brought to the devices.
public struct Record: Hashable, Sendable {
    /// Its version; a fresh stamp makes a new version of the same event.
    public var version: Version
    /// Sequence of the first version of this event: stays when a fresh stamp is given, so that an alert's intent is
    /// found again.
    public var born: UInt64
    /// Which instance of the name it belongs to, from 1.
    public var instance: UInt32
    /// `aps.timestamp` in seconds since 1970.
    public var stampSeconds: Int64
    /// start, update or end.
    public var event: EventKind
    /// Keeps a waiting place of its own until sent or expired.
    public var important: Bool
    /// Its alert may have been heard already: sent without it from now on.
    public var quiet: Bool
    /// `apns-priority`: 5 or 10.
    public var priority: UInt8
    /// Highest revision that a producer gave for this instance; nil when none did.
    public var revision: Int64?
    /// Not to be sent earlier, in milliseconds since 1970.
    public var notBeforeMilliseconds: Int64?
    /// Of no use later, in milliseconds since 1970.
    public var expiresAtMilliseconds: Int64?
    /// When the event was accepted, in milliseconds since 1970.
    public var acceptedAtMilliseconds: Int64
    /// The caller's event ID, 1…64 bytes.
    public var eventID: [UInt8]
    /// Name of the producer, for its receipts.
    public var producer: [UInt8]
    /// For a start of an activity: whom it is for, packed; empty for everything else.
    var audience: [UInt8]
    /// Where stamp and alert lie in the payload.
    public var layout: PayloadLayout
    /// The payload as the producer wrote it; shared, never copied.
    public var payload: [UInt8]

    /// Makes a record from its parts.
    public init(
        version: Version, born: UInt64, instance: UInt32, stampSeconds: Int64, event: EventKind, important: Bool,
        quiet: Bool, priority: UInt8, revision: Int64?, notBeforeMilliseconds: Int64?, expiresAtMilliseconds: Int64?,
        acceptedAtMilliseconds: Int64, eventID: [UInt8], producer: [UInt8], audience: StartAudience? = nil,
        layout: PayloadLayout, payload: [UInt8]
    ) {
        self.version = version
        self.born = born
        self.instance = instance
        self.stampSeconds = stampSeconds
        self.event = event
        self.important = important
        self.quiet = quiet
        self.priority = priority
        self.revision = revision
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.acceptedAtMilliseconds = acceptedAtMilliseconds
        self.eventID = eventID
        self.producer = producer
        self.audience = audience?.packed ?? []
        self.layout = layout
        self.payload = payload
    }

    /// Ended by its `end`, else live.
    public var state: RecordState { event == .end ? .ended : .live }

    /// Whether a newer record may not simply take its waiting place: important ones, and start and end of an instance.
    var keepsPlace: Bool { important || event != .update }

    func isExpired(atMilliseconds now: Int64) -> Bool {
        guard let expiresAtMilliseconds else { return false }
        return expiresAtMilliseconds <= now
    }
}
