/// A channel as the catalogue knows it.
public struct ChannelDescription: Hashable, Sendable {
    /// Where a channel is in its life.
    public enum State: String, Sendable, CaseIterable {
        /// APNs is being asked.
        case creating
        /// It can be published to.
        case active
        /// APNs is being asked to delete it.
        case deleting
        /// Deleted.
        case deleted
        /// APNs refused; the reason says why.
        case failed
    }

    /// Our name.
    public var channel: String
    /// Where it is in its life.
    public var state: State
    /// Apple's name, base64: what an app subscribes to. Empty until there is one.
    public var channelID: String
    /// What APNs keeps for offline devices.
    public var storage: ChannelRequest.Storage
    /// The newest instance; 0 before the first event.
    public var instance: UInt32
    /// When it was created, in milliseconds since 1970.
    public var createdAtMilliseconds: Int64
    /// Why it failed; empty otherwise.
    public var reason: String

    /// Makes a description.
    public init(
        channel: String, state: State, channelID: String, storage: ChannelRequest.Storage, instance: UInt32,
        createdAtMilliseconds: Int64, reason: String = ""
    ) {
        self.channel = channel
        self.state = state
        self.channelID = channelID
        self.storage = storage
        self.instance = instance
        self.createdAtMilliseconds = createdAtMilliseconds
        self.reason = reason
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        channel = try header.requireText("channel", limit: Key.nameBytesMax)
        state = try header.requireWord("state", State.self)
        channelID = try header.text("channel_id", limit: 128)
        storage = try header.requireWord("storage", ChannelRequest.Storage.self)
        instance = try header.count("instance")
        createdAtMilliseconds = try header.time("created_at_ms")
        reason = try header.text("reason")
    }

    func write(_ header: inout HeaderWriter) {
        header.string("channel", channel)
        header.string("state", state.rawValue)
        header.text("channel_id", channelID)
        header.string("storage", storage.rawValue)
        header.integer("instance", Int64(instance))
        header.integer("created_at_ms", createdAtMilliseconds)
        header.text("reason", reason)
    }
}

/// `channel`: the answer to every `channel` request.
public struct ChannelsAnswer: Hashable, Sendable, HeaderCoded {
    static let command: StaticString = "channel"

    /// The request's number.
    public var sequence: Int64
    /// What was asked.
    public var action: ChannelRequest.Action
    /// The app.
    public var app: String
    /// One, or for `list` at most 500 in the order of their names' bytes.
    public var channels: [ChannelDescription]
    /// Whether `list` has more after the last one.
    public var more: Bool

    /// Makes the message.
    public init(
        sequence: Int64, action: ChannelRequest.Action, app: String, channels: [ChannelDescription],
        more: Bool = false
    ) {
        self.sequence = sequence
        self.action = action
        self.app = app
        self.channels = channels
        self.more = more
    }

    init(_ header: inout HeaderReader) throws(WireFault) {
        sequence = try header.requireSequence()
        action = try header.requireWord("action", ChannelRequest.Action.self)
        app = try header.requireText("app", limit: Key.appBytesMax)
        channels = try header.objects(
            "channels", entries: ProducerProtocol.channelsPerAnswerMax, ChannelDescription.init)
        more = try header.flag("more")
    }

    func write(_ header: inout HeaderWriter) {
        header.integer("seq", sequence)
        header.string("action", action.rawValue)
        header.string("app", app)
        header.objects("channels", channels) { $1.write(&$0) }
        header.flag("more", more)
    }
}
