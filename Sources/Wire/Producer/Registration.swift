/// What `register` and `unregister` carry: a token, what it is for, and whose it is.
public struct Registration: Hashable, Sendable {
    /// Which of APNs' tokens it is.
    public enum TokenKind: String, Sendable, CaseIterable {
        /// The update token of one running activity.
        case update
        /// The push-to-start token of one attributes type on one device.
        case start
        /// The token for ordinary notifications of an app on one device.
        case ordinary
    }

    /// Why a token is taken off.
    public enum Reason: String, Sendable, CaseIterable {
        /// The user took the activity off the screen: it is not started there again.
        case dismissed
        /// The activity ended on the device.
        case ended
    }

    /// Echoed by the answer.
    public var sequence: Int64
    /// The app.
    public var app: String
    /// The activity that an update token follows; nil for the other kinds, which belong to a device.
    public var target: Target?
    /// The token.
    public var token: PushToken
    /// Which kind it is.
    public var kind: TokenKind
    /// The attributes type that a push-to-start token starts; empty for the other kinds.
    public var attributesType: String
    /// The caller's name for the user; empty when not told.
    public var user: String
    /// The caller's name for the device; a new token of the same user and device replaces the old one. Empty when not
    /// told, which only an update token may.
    public var device: String
    /// For `unregister` of an update token: why; nil when not told.
    public var reason: Reason?

    /// Makes the registration of an update token; `CarillonProducer` sets the number itself.
    public init(
        sequence: Int64 = 0, target: Target, token: PushToken, user: String = "", device: String = "",
        reason: Reason? = nil
    ) {
        self.sequence = sequence
        app = target.name.app
        self.target = target
        self.token = token
        kind = .update
        attributesType = ""
        self.user = user
        self.device = device
        self.reason = reason
    }

    /// Makes the registration of a device's push-to-start token for an attributes type.
    public init(
        sequence: Int64 = 0, app: String, startToken: PushToken, attributesType: String, user: String = "",
        device: String
    ) {
        self.init(sequence, app, startToken, .start, user, device)
        self.attributesType = attributesType
    }

    /// Makes the registration of a device's token for ordinary notifications.
    public init(sequence: Int64 = 0, app: String, ordinaryToken: PushToken, user: String = "", device: String) {
        self.init(sequence, app, ordinaryToken, .ordinary, user, device)
    }

    private init(
        _ sequence: Int64, _ app: String, _ token: PushToken, _ kind: TokenKind, _ user: String, _ device: String
    ) {
        self.sequence = sequence
        self.app = app
        self.token = token
        self.kind = kind
        attributesType = ""
        self.user = user
        self.device = device
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        let kind = try header.text("kind", limit: 16)
        guard let known = kind.isEmpty ? .update : TokenKind(rawValue: kind) else {
            throw header.fault("kind", "must be update, start or ordinary")
        }
        self.kind = known
        app = try header.requireText("app", limit: Key.appBytesMax)
        attributesType = ""
        user = try header.subject("user")
        device = try header.subject("device")
        guard let token = PushToken(try header.requireName("token", limit: ProducerProtocol.tokenDigitsMax)) else {
            throw header.fault("token", "must be an even number of hexadecimal digits")
        }
        self.token = token
        switch known {
        case .update: try readActivity(&header)
        case .start, .ordinary: try readDevice(&header)
        }
    }

    private mutating func readActivity(_ header: inout HeaderReader) throws(WireFault) {
        let target = try Target(&header)
        guard target.name.kind == .activity else {
            throw header.fault("channel", "tokens follow activities, not channels")
        }
        self.target = target
        let word = try header.text("reason", limit: 32)
        guard word.isEmpty || Reason(rawValue: word) != nil else {
            throw header.fault("reason", "must be dismissed or ended")
        }
        reason = Reason(rawValue: word)
    }

    private mutating func readDevice(_ header: inout HeaderReader) throws(WireFault) {
        guard !device.isEmpty else { throw header.fault("device", "a token of this kind belongs to a device") }
        guard kind == .start else { return }
        attributesType = try header.requireText(
            "attributes_type", limit: ProducerProtocol.attributesTypeBytesMax)
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        if let target { target.write(&header) } else { header.string("app", app) }
        header.string("token", token.digits)
        if kind != .update { header.string("kind", kind.rawValue) }
        header.text("attributes_type", attributesType)
        header.text("user", user)
        header.text("device", device)
        header.text("reason", reason?.rawValue ?? "")
    }
}
