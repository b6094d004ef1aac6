/// `channel`: asks for a channel by name, or about channels; answered by `channel`.
public struct ChannelRequest: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "channel"

    /// What is to be done.
    public enum Action: String, Sendable, CaseIterable {
        /// Makes the channel, or gives the one there is.
        case create
        /// Deletes the channel at APNs and forgets its name.
        case delete
        /// Lists channels of an app by name.
        case list
        /// Shows one channel.
        case show
    }

    /// What APNs keeps for devices that are offline (Docs/APNs.md 3.3).
    public enum Storage: String, Sendable, CaseIterable {
        /// Nothing; highest publish rate.
        case none
        /// The most recent message.
        case newest
    }

    /// Echoed by the answer.
    public var sequence: Int64
    /// What is to be done.
    public var action: Action
    /// The app.
    public var app: String
    /// The channel's name; empty for `list`.
    public var channel: String
    /// For `create`; nil: the app's default.
    public var storage: Storage?
    /// For `list`: names after this one, in the order of their bytes; empty: from the first.
    public var after: String
    /// For `list`: at most so many, 1…500; nil: 500.
    public var limit: Int?

    /// Makes the message; `CarillonProducer` sets the number itself.
    public init(
        sequence: Int64 = 0, action: Action, app: String, channel: String = "", storage: Storage? = nil,
        after: String = "", limit: Int? = nil
    ) {
        self.sequence = sequence
        self.action = action
        self.app = app
        self.channel = channel
        self.storage = storage
        self.after = after
        self.limit = limit
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        action = try header.requireWord("action", Action.self)
        app = try header.requireText("app", limit: Key.appBytesMax)
        channel = action == .list ? "" : try header.requireText("channel", limit: Key.nameBytesMax)
        let storage = try header.text("storage", limit: 16)
        guard let known = storage.isEmpty ? .some(nil) : Storage(rawValue: storage).map(Optional.some) else {
            throw header.fault("storage", "must be none or newest")
        }
        self.storage = known
        after = try header.text("after", limit: Key.nameBytesMax)
        limit = try header.integer("limit", in: 1...Int64(ProducerProtocol.channelsPerAnswerMax)).map { Int($0) }
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.string("action", action.rawValue)
        header.string("app", app)
        header.text("channel", channel)
        if let storage { header.string("storage", storage.rawValue) }
        header.text("after", after)
        header.integer("limit", limit.map { Int64($0) })
    }
}
