public import Delivery
public import Wire

/// What happens to the core. `origin` names the caller's connection and request; it comes back with every answer.
public enum CoreInput: Sendable {
    /// An event that has been authenticated, allowed, decoded and inspected.
    case publish(PublishInput)
    /// One event for a channel and an activity: both take it or neither does, and one answer names both.
    case publishToBoth(channel: PublishInput, activity: PublishInput)
    /// The most recent message of the key's name; `instance` nil asks for the newest.
    case get(origin: UInt64, key: Key, instance: UInt32?)
    /// What became of an event. Without a key all names are searched, which takes milliseconds on a large node.
    case status(origin: UInt64, eventID: [UInt8], key: Key?)
    /// A token follows an activity from now on.
    case register(RegisterInput)
    /// A token follows no activity any more; `end` is what the app says of the activity on that device.
    case unregister(RegisterInput, end: ActivityEnd?)
    /// A push-to-start or ordinary token belongs to a device from now on.
    case registerDevice(DeviceTokenInput)
    /// It does so no more.
    case unregisterDevice(DeviceTokenInput)
    /// Who follows an activity, and where it was started.
    case showActivity(origin: UInt64, key: Key)
    /// A channel of this name is wanted; `key` is of kind channel.
    case createChannel(origin: UInt64, app: UInt16, key: Key, policy: StoragePolicy)
    /// A channel of this name is wanted no more.
    case deleteChannel(origin: UInt64, app: UInt16, key: Key)
    /// All channels of an app.
    case listChannels(origin: UInt64, app: UInt16)
    /// What APNs said to a `manage` effect.
    case channelAnswered(intent: UInt64, answer: ChannelAnswer)
    /// All batches up to this one are durable.
    case stored(batch: UInt64)
    /// This batch could not be written.
    case storeFailed(batch: UInt64)
    /// What lanes say. The reports that one call of a lane table gave must come in one input: a lane gives its two
    /// items back together, so that both are stamped anew in their order.
    case report([LaneReport])
    /// Time has passed.
    case tick
}
