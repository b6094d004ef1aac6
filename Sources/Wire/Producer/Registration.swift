/// What `register` and `unregister` carry: a token that follows an activity, and whose it is.
public struct Registration: Hashable, Sendable {
    /// Which of APNs' tokens it is.
    public enum TokenKind: String, Sendable, CaseIterable {
        /// The update token of one running activity.
        case update
        /// The push-to-start token of an app on one device.
        case start
    }

    /// Echoed by the answer.
    public var sequence: Int64
    /// The activity.
    public var target: Target
    /// The token.
    public var token: PushToken
    /// Which kind it is.
    public var kind: TokenKind
    /// The caller's name for the user; empty when not told.
    public var user: String
    /// The caller's name for the device; a new token of the same user and device replaces the old one. Empty when not
    /// told.
    public var device: String

    /// Makes the message; `CarillonProducer` sets the number itself.
    public init(
        sequence: Int64 = 0, target: Target, token: PushToken, kind: TokenKind = .update, user: String = "",
        device: String = ""
    ) {
        self.sequence = sequence
        self.target = target
        self.token = token
        self.kind = kind
        self.user = user
        self.device = device
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        target = try Target(&header)
        guard target.name.kind == .activity else {
            throw header.fault("channel", "tokens follow activities, not channels")
        }
        guard let token = PushToken(try header.requireName("token", limit: ProducerProtocol.tokenDigitsMax)) else {
            throw header.fault("token", "must be an even number of hexadecimal digits")
        }
        self.token = token
        let kind = try header.text("kind", limit: 16)
        guard let known = kind.isEmpty ? .update : TokenKind(rawValue: kind) else {
            throw header.fault("kind", "must be update or start")
        }
        self.kind = known
        user = try header.text("user", limit: ProducerProtocol.subjectBytesMax)
        device = try header.text("device", limit: ProducerProtocol.subjectBytesMax)
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        target.write(&header)
        header.string("token", token.digits)
        if kind != .update { header.string("kind", kind.rawValue) }
        header.text("user", user)
        header.text("device", device)
    }
}
