public import LiveActivity

/// `publish`: an event for a channel or an activity. Frame 2 is the APNs payload, untouched but for its timestamp.
public struct Publish: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "publish"

    /// Echoed by the `ack` or `nack`.
    public var sequence: Int64
    /// What the event is for; the channel when it is for an activity as well.
    public var target: Target
    /// The activity that gets the event too, when `target` is a channel; nil: none. It names no instance.
    public var activity: Target?
    /// The caller's name for the event; a repeated one is answered, not sent again.
    public var id: EventID
    /// What the payload says in `aps.event`, to be checked against it; nil: not said.
    public var event: EventKind?
    /// Not to be conflated away by the next event until it was sent or expired; may use the reserved budget.
    public var important: Bool
    /// `apns-priority`, 5 or 10; nil: the node's choice.
    public var priority: UInt8?
    /// The producer's own version of the state; one lower than the record's is refused as superseded.
    public var revision: Int64?
    /// Not to be sent before this time, in milliseconds since 1970.
    public var notBeforeMilliseconds: Int64?
    /// Of no use after this time, in milliseconds since 1970.
    public var expiresAtMilliseconds: Int64?
    /// For a `start`: the user on whose devices the activity starts; empty when only the device is named.
    public var user: String
    /// For a `start`: the device on which the activity starts; empty: every device of the user.
    public var device: String
    /// For a `start`: where no activity can be had, its alert goes to the device's ordinary token.
    public var fallback: Bool
    /// Whether receipts are wanted for this event.
    public var receipts: Bool
    /// The APNs payload.
    public var payload: [UInt8]

    /// Makes the message; `CarillonProducer` sets the number itself.
    public init(
        sequence: Int64 = 0, target: Target, id: EventID, payload: [UInt8], event: EventKind? = nil,
        important: Bool = false, priority: UInt8? = nil, revision: Int64? = nil, notBeforeMilliseconds: Int64? = nil,
        expiresAtMilliseconds: Int64? = nil, receipts: Bool = false, activity: Target? = nil, user: String = "",
        device: String = "", fallback: Bool = false
    ) {
        self.sequence = sequence
        self.target = target
        self.id = id
        self.event = event
        self.important = important
        self.priority = priority
        self.revision = revision
        self.notBeforeMilliseconds = notBeforeMilliseconds
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.receipts = receipts
        self.activity = activity
        self.user = user
        self.device = device
        self.fallback = fallback
        self.payload = payload
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        (target, activity) = try Target.oneOrBoth(&header)
        id = try header.requireEventID()
        event = try header.eventKind("event")
        important = try header.flag("important")
        priority = try header.integer("priority", in: 5...10).map { UInt8($0) }
        guard priority == nil || priority == 5 || priority == 10 else {
            throw header.fault("priority", "must be 5 or 10")
        }
        revision = try header.integer("revision", in: Int64.min...Int64.max)
        notBeforeMilliseconds = try header.integer("not_before_ms", in: 0...Int64.max)
        expiresAtMilliseconds = try header.integer("expires_at_ms", in: 0...Int64.max)
        receipts = try header.flag("receipts")
        // Looked for only where they mean something: most events start nothing.
        user = ""
        device = ""
        fallback = false
        payload = []
        guard event == .start else { return }
        user = try header.subject("user")
        device = try header.subject("device")
        fallback = try header.flag("fallback")
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        target.write(&header)
        if let activity { header.string("activity", activity.name.ownNameBytes) }
        header.string("id", id.bytes)
        if let event { header.string("event", event.name) }
        header.flag("important", important)
        header.integer("priority", priority.map { Int64($0) })
        header.integer("revision", revision)
        header.integer("not_before_ms", notBeforeMilliseconds)
        header.integer("expires_at_ms", expiresAtMilliseconds)
        header.flag("receipts", receipts)
        header.text("user", user)
        header.text("device", device)
        header.flag("fallback", fallback)
    }
}
