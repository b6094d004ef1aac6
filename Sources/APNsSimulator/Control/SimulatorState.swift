public import LiveActivity

/// What `SimulatorControl.state` tells.
public struct SimulatorState: Sendable, Hashable {
    /// What the activities of a channel or of an app's tokens show.
    public struct Shown: Sendable, Hashable {
        /// Activities that show the same stamp and content.
        public struct Group: Sendable, Hashable {
            /// Their stamp; nil: they show nothing.
            public let stampSeconds: Int64?
            /// Of them on devices that are online.
            public let online: Int
            /// Offline.
            public let offline: Int
            /// Ended.
            public let ended: Int
        }

        /// Activities on devices that are online.
        public let online: Int
        /// Offline.
        public let offline: Int
        /// Ended.
        public let ended: Int
        /// Online ones that show the newest stamp that APNs accepted for them.
        public let currentOnline: Int
        /// The newest content state shown, nil when nothing is shown.
        public let newestState: JSONValue?
        /// What they show, newest stamp first; only the newest groups.
        public let groups: [Group]
    }

    /// One channel.
    public struct Channel: Sendable, Hashable {
        /// Channel ID.
        public let id: String
        /// Bundle ID.
        public let app: String
        /// Storage policy, 0 or 1.
        public let policy: Int
        /// Messages accepted.
        public let accepted: Int
        /// Newest stamp accepted.
        public let newestStampSeconds: Int64?
        /// An `end` was accepted.
        public let hasEnded: Bool
        /// What devices show.
        public let shown: Shown
    }

    /// The activity tokens of one app.
    public struct Tokens: Sendable, Hashable {
        /// Bundle ID.
        public let app: String
        /// How many.
        public let count: Int
        /// Messages accepted.
        public let accepted: Int
        /// What devices show.
        public let shown: Shown
    }

    /// Devices.
    public let devices: Int
    /// Of them online.
    public let devicesOnline: Int
    /// Activities.
    public let activities: Int
    /// Open connections.
    public let connections: Int
    /// Channels of all apps.
    public let channelCount: Int
    /// Deliveries on their way.
    public let underWay: Int
    /// Counters by name, as in Docs/Simulator.md: `went_back`, `rang_twice`, `decode_failures` …
    public let counters: [String: Int]
    /// Error answers by reason.
    public let refusedByReason: [String: Int]
    /// Channels, as many as asked for.
    public let channels: [Channel]
    /// Tokens of each app that has activities with tokens.
    public let tokensByApp: [Tokens]

    /// A counter by its name; 0 for one that does not exist.
    public func counter(_ name: String) -> Int { counters[name] ?? 0 }
}

extension SimulatorState {
    init(_ value: JSONValue) {
        devices = value.count("devices")
        devicesOnline = value.count("devices_online")
        activities = value.count("activities")
        connections = value.count("connections")
        channelCount = value.count("channel_count")
        underWay = value.count("under_way")
        counters = (value["counters"] ?? .null).counts
        refusedByReason = (value["counters"]?["refused_by_reason"] ?? .null).counts
        channels = (value["channels"]?.array ?? []).map(Channel.init)
        tokensByApp = (value["tokens_by_app"]?.array ?? []).map(Tokens.init)
    }
}

extension SimulatorState.Channel {
    init(_ value: JSONValue) {
        id = value["id"]?.string ?? ""
        app = value["app"]?.string ?? ""
        policy = value.count("policy")
        accepted = value.count("accepted")
        newestStampSeconds = value["newest_stamp"]?.integer
        hasEnded = value["ended"]?.bool ?? false
        shown = SimulatorState.Shown(value["shown"] ?? .null)
    }
}

extension SimulatorState.Tokens {
    init(_ value: JSONValue) {
        app = value["app"]?.string ?? ""
        count = value.count("activity_tokens")
        accepted = value.count("accepted")
        shown = SimulatorState.Shown(value["shown"] ?? .null)
    }
}

extension SimulatorState.Shown {
    init(_ value: JSONValue) {
        online = value.count("online")
        offline = value.count("offline")
        ended = value.count("ended")
        currentOnline = value.count("current_online")
        newestState = value["newest_state"].flatMap { $0 == .null ? nil : $0 }
        groups = (value["groups"]?.array ?? []).map { group in
            Group(
                stampSeconds: group["stamp"]?.integer, online: group.count("online"), offline: group.count("offline"),
                ended: group.count("ended"))
        }
    }
}

extension JSONValue {
    fileprivate func count(_ name: String) -> Int { Int(self[name]?.integer ?? 0) }

    fileprivate var counts: [String: Int] {
        var counts: [String: Int] = [:]
        for member in object ?? [] {
            if let number = member.value.integer { counts[member.name] = Int(number) }
        }
        return counts
    }
}
