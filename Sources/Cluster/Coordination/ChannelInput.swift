public import Wire

/// What happens to the catalogue of channels, at the coordinator. `origin` names the caller's connection and request.
public enum ChannelInput: Sendable {
    /// A channel of this name is wanted; `key` is of kind channel.
    case create(origin: UInt64, app: UInt16, key: Key, policy: StoragePolicy)
    /// A channel of this name is wanted no more.
    case delete(origin: UInt64, app: UInt16, key: Key)
    /// All channels of an app.
    case list(origin: UInt64, app: UInt16)
    /// What APNs said to a `manage` effect.
    case answered(intent: UInt64, answer: ChannelAnswer)
    /// APNs said to an owner that the channel of this name does not exist.
    case lost(Key)
}
