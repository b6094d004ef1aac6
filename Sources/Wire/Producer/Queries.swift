/// `get`: asks for the most recent message of a key, answered by `state`.
public struct Get: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "get"

    /// Echoed by the answer.
    public var sequence: Int64
    /// What is asked for.
    public var target: Target

    /// Makes the message.
    public init(sequence: Int64, target: Target) {
        self.sequence = sequence
        self.target = target
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        target = try Target(&header)
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        target.write(&header)
    }
}

/// `status`: asks what became of an event, answered by `outcome`.
public struct StatusQuery: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "status"

    /// Echoed by the answer.
    public var sequence: Int64
    /// What the event was for.
    public var target: Target
    /// The event; one of the last 16 of its key.
    public var id: EventID

    /// Makes the message.
    public init(sequence: Int64, target: Target, id: EventID) {
        self.sequence = sequence
        self.target = target
        self.id = id
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        target = try Target(&header)
        id = try header.requireEventID()
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        target.write(&header)
        header.string("id", id.bytes)
    }
}

/// `activity`: asks for the tokens that follow an activity and for the starts of its devices, answered by `activity`.
public struct ActivityQuery: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "activity"

    /// Echoed by the answer.
    public var sequence: Int64
    /// The activity.
    public var target: Target

    /// Makes the message.
    public init(sequence: Int64, target: Target) {
        self.sequence = sequence
        self.target = target
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        target = try Target(&header)
        guard target.name.kind == .activity else { throw header.fault("channel", "name an activity") }
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        target.write(&header)
    }
}
