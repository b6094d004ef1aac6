public import LiveActivity

/// `state`: the most recent message of a key. Frame 2 is its payload as the producer wrote it.
public struct RecordState: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "state"

    /// The `get`'s number.
    public var sequence: Int64
    /// The key; the instance is set.
    public var key: Key
    /// The event that made the record.
    public var id: EventID
    /// First half of the version.
    public var epoch: Int64
    /// Second half of the version.
    public var version: Int64
    /// `aps.timestamp`, in seconds since 1970.
    public var stampSeconds: Int64
    /// What the event does; after `end` the instance takes no more.
    public var event: EventKind
    /// Whether it was marked important.
    public var important: Bool
    /// The producer's revision, if it gave one.
    public var revision: Int64?
    /// When it was stored, in milliseconds since 1970.
    public var storedAtMilliseconds: Int64
    /// What has become of it so far.
    public var outcome: Outcome
    /// The payload.
    public var payload: [UInt8]

    /// Makes the message.
    public init(
        sequence: Int64, key: Key, id: EventID, epoch: Int64, version: Int64, stampSeconds: Int64, event: EventKind,
        important: Bool, revision: Int64?, storedAtMilliseconds: Int64, outcome: Outcome, payload: [UInt8]
    ) {
        self.sequence = sequence
        self.key = key
        self.id = id
        self.epoch = epoch
        self.version = version
        self.stampSeconds = stampSeconds
        self.event = event
        self.important = important
        self.revision = revision
        self.storedAtMilliseconds = storedAtMilliseconds
        self.outcome = outcome
        self.payload = payload
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        key = try Target(&header).key(newest: 1)
        id = try header.requireEventID()
        epoch = try header.time("epoch")
        version = try header.time("version")
        stampSeconds = try header.time("stamp_s")
        guard let event = try header.eventKind("event") else { throw header.fault("event", "missing") }
        self.event = event
        important = try header.flag("important")
        revision = try header.integer("revision", in: Int64.min...Int64.max)
        storedAtMilliseconds = try header.time("stored_at_ms")
        outcome = try header.requireWord("outcome", Outcome.self)
        payload = []
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        Target(key: key).write(&header)
        header.string("id", id.bytes)
        header.integer("epoch", epoch)
        header.integer("version", version)
        header.integer("stamp_s", stampSeconds)
        header.string("event", event.name)
        header.flag("important", important)
        header.integer("revision", revision)
        header.integer("stored_at_ms", storedAtMilliseconds)
        header.string("outcome", outcome.rawValue)
    }
}
