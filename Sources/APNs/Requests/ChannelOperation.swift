/// What APNs keeps for devices that are offline; fixed when a channel is created (Docs/APNs.md 3.3).
public enum ChannelStoragePolicy: UInt8, Sendable, Hashable, CaseIterable {
    /// *No Message Stored*: broadcasts must have expiration 0.
    case none = 0
    /// *Most Recent Message Stored*, for at most 8 hours.
    case mostRecent = 1
}

/// One request to the channel management host (Docs/APNs.md 3.3).
public enum ChannelOperation: Sendable, Hashable {
    /// Makes a channel. Not idempotent at Apple: when the answer is lost, only `list` shows whether it exists.
    case create(ChannelStoragePolicy)
    /// Asks for the policy of a channel, which also tells whether it exists.
    case read(channelID: String)
    /// Deletes a channel for ever. One that does not exist counts as deleted.
    case delete(channelID: String)
    /// All channels of the app, up to 10,000.
    case list
}

/// What came of a `ChannelOperation`.
public enum ChannelAnswer: Sendable, Hashable {
    /// The ID that APNs chose, base64, to be used exactly as it is.
    case created(channelID: String)
    /// The policy of the channel.
    case policy(ChannelStoragePolicy)
    /// Gone. `existed` is false when APNs did not know it.
    case deleted(existed: Bool)
    /// The IDs of all channels, in the order of APNs.
    case channels([String])
}
