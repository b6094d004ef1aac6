/// What APNs does with a channel's messages for offline devices; immutable after creation (Docs/APNs.md 3.3).
public enum StoragePolicy: UInt8, Sendable, CaseIterable {
    /// Nothing is stored.
    case none = 0
    /// The most recent message is stored for up to 8 hours.
    case mostRecent = 1
}

/// A request to APNs' management host.
public enum ChannelOperation: Hashable, Sendable {
    /// Make a channel. Not idempotent: a lost answer leaves one that only `list` reveals.
    case create(StoragePolicy)
    /// Which policy a channel has.
    case read(channelID: [UInt8])
    /// Remove a channel.
    case delete(channelID: [UInt8])
    /// All channels of the app.
    case list
}

/// What came of a `ChannelOperation`.
public enum ChannelAnswer: Hashable, Sendable {
    /// 201 with the new channel's ID.
    case created(channelID: [UInt8])
    /// 200 with the policy.
    case policy(StoragePolicy)
    /// 204, or `ChannelNotRegistered`, which means the same to a delete.
    case deleted
    /// 200 with all IDs.
    case listed([[UInt8]])
    /// APNs refused for good; Apple's word, or `HTTP <status>`.
    case refused(reason: String)
    /// Certainly not carried out, may work later: no connection, 429, 503.
    case unavailable(reason: String)
    /// Sent, answer lost: it may have been carried out.
    case lost
}

/// A channel as callers see it.
public struct ChannelSummary: Hashable, Sendable {
    /// The name.
    public var name: String
    /// Apple's channel ID in base64; nil until APNs has given one.
    public var channelID: [UInt8]?
    /// Its storage policy.
    public var policy: StoragePolicy
    /// Where it stands.
    public var state: ChannelState
}

/// Where a channel stands. Raw values are stored: never renumber.
public enum ChannelState: UInt8, Sendable, CaseIterable {
    /// Wanted; stored before APNs is asked, so that a restart knows that a channel may exist.
    case intended = 1
    /// In use.
    case live = 2
    /// To be deleted; stored before APNs is asked.
    case deleting = 3
    /// APNs refused to make it, or says that it is gone.
    case failed = 4

    /// The word of the protocol and the command line.
    public var name: String {
        switch self {
        case .intended: "intended"
        case .live: "live"
        case .deleting: "deleting"
        case .failed: "failed"
        }
    }
}
