/// How the activities of a channel or of an app's tokens stand.
public struct ShownStates: Hashable, Sendable {
    /// Activities that show the same.
    public struct Group: Hashable, Sendable {
        /// Their stamp; nil: they show nothing yet.
        public var stampSeconds: Int64?
        /// Identity of the content.
        public var stateHash: UInt64
        /// How many of them are on devices that are online.
        public var online: Int
        /// How many are offline.
        public var offline: Int
        /// How many have ended.
        public var ended: Int
    }

    /// Most groups kept apart; the oldest are summed up in `others`.
    public static let groupsMax = 16

    /// Activities on devices that are online.
    public var online = 0
    /// Activities on devices that are offline.
    public var offline = 0
    /// Activities that have ended.
    public var ended = 0
    /// Activities that show the newest accepted stamp of their channel or token, online ones only.
    public var currentOnline = 0
    /// What they show, newest stamp first.
    public var groups: [Group] = []
    /// Activities beyond `groups`.
    public var others = 0
    /// The state that the newest group shows, as it came.
    public var newestState: [UInt8] = []
}

/// One channel.
public struct ChannelReport: Hashable, Sendable {
    /// Channel ID.
    public var id: String
    /// App.
    public var bundleID: String
    /// Storage policy.
    public var policy: StoragePolicy
    /// Messages accepted.
    public var accepted: Int
    /// Newest stamp accepted.
    public var newestStampSeconds: Int64?
    /// Whether an `end` was accepted.
    public var hasEnded: Bool
    /// Whether a message is stored at this moment.
    public var isStoring: Bool
    /// What devices show.
    public var shown: ShownStates
}

/// The tokens of one app.
public struct TokensReport: Hashable, Sendable {
    /// App.
    public var bundleID: String
    /// Tokens of activities.
    public var activityTokens: Int
    /// Messages accepted for them.
    public var accepted: Int
    /// What their activities show.
    public var shown: ShownStates
}

/// The whole world at one moment.
public struct StateReport: Hashable, Sendable {
    /// Devices.
    public var devices: Int
    /// Of them online.
    public var devicesOnline: Int
    /// Activities on all devices.
    public var activities: Int
    /// Push tokens of all kinds.
    public var tokens: Int
    /// Channels of all apps.
    public var channelCount: Int
    /// Open connections.
    public var connections: Int
    /// Deliveries under way.
    public var underWay: Int
    /// What was counted.
    public var counters: Counters
    /// Channels in the order of apps and their creation, as many as asked for.
    public var channels: [ChannelReport]
    /// Tokens of each app.
    public var tokensByApp: [TokensReport]
}

/// One activity in detail.
public struct ActivityReport: Hashable, Sendable {
    /// Its index.
    public var index: Int
    /// Device it is on.
    public var device: Int
    /// Whether that is online.
    public var isOnline: Bool
    /// App.
    public var bundleID: String
    /// Channel ID, nil when it has a token.
    public var channelID: String?
    /// Whether it has ended.
    public var hasEnded: Bool
    /// Stamp shown.
    public var stampSeconds: Int64?
    /// When it was shown, milliseconds since 1970.
    public var shownAtMilliseconds: Int64
    /// State shown, as it came.
    public var state: [UInt8]
    /// Alerts that rang.
    public var rings: Int
    /// Rings for something that had rung.
    public var rangTwice: Int
    /// Steps back.
    public var wentBack: Int
    /// Messages that did not decode.
    public var decodeFailures: Int
    /// Last states shown, oldest first.
    public var history: [Activity.Showing]
}
