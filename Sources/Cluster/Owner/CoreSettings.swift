/// What the core of a node is told once. Every bound has a named outcome when it is reached.
public struct CoreSettings: Hashable, Sendable {
    /// Names of the apps; the position is the app's index everywhere else.
    public var apps: [String]
    /// Most channel and activity names; a new one beyond is refused as overloaded.
    public var keysMax = 1_000_000
    /// Most tokens of one activity; one more is refused as overloaded.
    public var tokensPerActivityMax = 10_000
    /// Most tokens of the node; one more is refused as overloaded.
    public var tokensMax = 1_000_000
    /// Most starts of a device within an hour; a further one is not sent. Apple names no number: this one is ours.
    public var startsPerDeviceHourMax = 10
    /// How long after a start the app may take to register the update token before it is reported, in milliseconds.
    public var startTokenWaitMilliseconds: Int64 = 15 * 60_000
    /// Most starts remembered for one activity; a further device is not started, and a further dismissal not noted.
    public var startsPerActivityMax = 10_000
    /// Most answers waiting for the disk; further events are refused as overloaded.
    public var pendingRepliesMax = 65_536
    /// Of these, most for one shard: one without quorum leaves room for the others.
    public var pendingRepliesPerShardMax = 8_192
    /// Most releases waiting for the disk; further ones wait in Admit.
    public var handoversMax = 65_536
    /// Most releases in one turn, some milliseconds' work, so that pings are answered between two; the others go in the
    /// next turn, which follows at once.
    public var releasesPerTurn = 1_000
    /// Most channels of one app: 100 below what APNs allows, so that an operator can still act.
    public var channelsPerAppMax = 9_900
    /// Most callers waiting for one channel operation; further ones are refused as overloaded.
    public var channelWaitersMax = 64
    /// How long an ended name is kept, in milliseconds: above the 8 h of an activity and its 4 h on the lock screen.
    public var endedKeepMilliseconds: Int64 = 24 * 3_600_000
    /// How long APNs may store a message that has no `expires_at`, in seconds; 8 h is its own limit for channels.
    public var storedSeconds: Int64 = 8 * 3600
    /// Pause before a failed batch is written again, in milliseconds.
    public var storeRetryMilliseconds: Int64 = 1_000
    /// The retry time told to a caller whose key's shard is on its way to another node, in milliseconds.
    public var moveRetryMilliseconds: Int64 = 200
    /// The retry time told to a caller who found a queue full, in milliseconds.
    public var overloadRetryMilliseconds: Int64 = 1_000
    /// Shortest and longest pause before an unavailable channel operation is tried again, in milliseconds.
    public var channelRetryMilliseconds: ClosedRange<Int64> = 1_000...60_000
    /// How old the last send of a name may be to be sent again when its shard comes from another owner, in
    /// milliseconds.
    public var reassertMilliseconds: Int64 = 60_000
    /// Whether `stage` effects are wanted.
    public var traces = false
    /// A fault that the simulation has switched on; nil everywhere else.
    public var mutant: Mutant?

    /// Makes settings with the defaults above.
    public init(apps: [String]) { self.apps = apps }
}
