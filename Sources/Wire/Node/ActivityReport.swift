/// `activity`: who follows an activity and on which devices it was started. No token is shown whole.
public struct ActivityReport: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "activity"

    /// The request's number.
    public var sequence: Int64
    /// App and name, with the newest instance.
    public var key: Key
    /// `none` before the first event, else `live` or `ended`.
    public var state: String
    /// The newest event; empty before the first.
    public var event: String
    /// How many tokens follow the instance, quarantined ones not counted.
    public var tokenCount: UInt32
    /// Tokens that follow it and those in quarantine, at most 100.
    public var tokens: [TokenView]
    /// Devices on which it was to be started, at most 100.
    public var starts: [StartView]

    /// Makes the message.
    public init(
        sequence: Int64, key: Key, state: String, event: String, tokenCount: UInt32, tokens: [TokenView],
        starts: [StartView]
    ) {
        self.sequence = sequence
        self.key = key
        self.state = state
        self.event = event
        self.tokenCount = tokenCount
        self.tokens = tokens
        self.starts = starts
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        key = try Target(&header).key(newest: 1)
        state = try header.text("state", limit: 16)
        event = try header.text("event", limit: 16)
        tokenCount = try header.count("token_count")
        tokens = try header.objects("tokens", entries: ProducerProtocol.activityEntriesMax, TokenView.init)
        starts = try header.objects("starts", entries: ProducerProtocol.activityEntriesMax, StartView.init)
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        Target(key: key).write(&header)
        header.text("state", state)
        header.text("event", event)
        header.count("token_count", Int64(tokenCount))
        if !tokens.isEmpty { header.objects("tokens", tokens) { $1.write(&$0) } }
        if !starts.isEmpty { header.objects("starts", starts) { $1.write(&$0) } }
    }
}

/// A token as people may see it.
public struct TokenView: Hashable, Sendable {
    /// Which of APNs' tokens it is.
    public var kind: Registration.TokenKind
    /// Its first and last digits, see `PushToken.description`.
    public var token: String
    /// The attributes type of a push-to-start token; empty for the others.
    public var attributesType: String
    /// The caller's name for the user.
    public var user: String
    /// The caller's name for the device.
    public var device: String
    /// When it was registered, in milliseconds since 1970.
    public var registeredAtMilliseconds: Int64
    /// It has not yet had the state that it was to get when it registered.
    public var isBehind: Bool
    /// Why nothing is sent to it: `wrong-environment` or `wrong-topic`; empty when it is in use.
    public var quarantine: String

    /// Makes a view.
    public init(
        kind: Registration.TokenKind, token: String, attributesType: String = "", user: String = "",
        device: String = "", registeredAtMilliseconds: Int64, isBehind: Bool = false, quarantine: String = ""
    ) {
        self.kind = kind
        self.token = token
        self.attributesType = attributesType
        self.user = user
        self.device = device
        self.registeredAtMilliseconds = registeredAtMilliseconds
        self.isBehind = isBehind
        self.quarantine = quarantine
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        kind = try header.requireWord("kind", Registration.TokenKind.self)
        token = try header.text("token", limit: 32)
        attributesType = try header.text("attributes_type", limit: ProducerProtocol.attributesTypeBytesMax)
        user = try header.subject("user")
        device = try header.subject("device")
        registeredAtMilliseconds = try header.time("registered_at_ms")
        isBehind = try header.flag("behind")
        quarantine = try header.text("quarantine", limit: 64)
    }

    func write(_ header: inout HeaderWriter) {
        header.string("kind", kind.rawValue)
        header.string("token", token)
        header.text("attributes_type", attributesType)
        header.text("user", user)
        header.text("device", device)
        header.count("registered_at_ms", registeredAtMilliseconds)
        header.flag("behind", isBehind)
        header.text("quarantine", quarantine)
    }
}

/// A start of an activity on one device as people may see it.
public struct StartView: Hashable, Sendable {
    /// The caller's name for the user.
    public var user: String
    /// The caller's name for the device.
    public var device: String
    /// Which instance of the activity.
    public var instance: UInt32
    /// A word of section 5.1 of the protocol: `sending`, `pending`, `unknown`, `joined` …
    public var state: String
    /// Since when, in milliseconds since 1970.
    public var sinceMilliseconds: Int64
    /// Why it failed; empty otherwise.
    public var reason: String

    /// Makes a view.
    public init(
        user: String, device: String, instance: UInt32, state: String, sinceMilliseconds: Int64, reason: String = ""
    ) {
        self.user = user
        self.device = device
        self.instance = instance
        self.state = state
        self.sinceMilliseconds = sinceMilliseconds
        self.reason = reason
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        user = try header.subject("user")
        device = try header.subject("device")
        instance = try header.count("instance")
        state = try header.text("state", limit: 32)
        sinceMilliseconds = try header.time("since_ms")
        reason = try header.text("reason", limit: 64)
    }

    func write(_ header: inout HeaderWriter) {
        header.text("user", user)
        header.text("device", device)
        header.count("instance", Int64(instance))
        header.string("state", state)
        header.count("since_ms", sinceMilliseconds)
        header.text("reason", reason)
    }
}
