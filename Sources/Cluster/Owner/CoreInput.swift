public import Delivery
public import Wire

/// What happens to the core of an owner. `origin` names the caller's connection and request; it comes back with every
/// answer.
public enum CoreInput: Sendable {
    /// An event that has been authenticated, allowed, decoded and inspected.
    case publish(PublishInput)
    /// One event for a channel and an activity: both take it or neither does, and one answer names both.
    case publishToBoth(channel: PublishInput, activity: PublishInput)
    /// The most recent message of the key's name; `instance` nil asks for the newest.
    case get(origin: UInt64, key: Key, instance: UInt32?)
    /// What became of an event. Without a key all names of this owner are searched, which takes milliseconds on a
    /// large node.
    case status(origin: UInt64, eventID: [UInt8], key: Key?)
    /// A token follows an activity from now on.
    case register(RegisterInput)
    /// A token follows no activity any more; `end` is what the app says of the activity on that device.
    case unregister(RegisterInput, end: ActivityEnd?)
    /// A push-to-start or ordinary token belongs to a device from now on. For the owner of the registry.
    case registerDevice(DeviceTokenInput)
    /// It does so no more. For the owner of the registry.
    case unregisterDevice(DeviceTokenInput)
    /// APNs refused a token of a device at another node; nil: it is dead. For the owner of the registry.
    case deviceTokenRefused(Destination, TokenFault?)
    /// Who follows an activity, and where it was started.
    case showActivity(origin: UInt64, key: Key)
    /// The cluster's catalogue has this entry for a channel of this name, or nil: none any more. Told for every
    /// channel at the start and with every change.
    case channelChanged(key: Key, ChannelEntry?)
    /// The rows of every shard are committed up to this batch: for a node whose own disk is the only copy.
    case stored(batch: UInt64)
    /// The rows of one shard are committed up to this batch.
    case committed(shard: UInt16, upTo: UInt64)
    /// This batch and those behind it could not be written here. Events are refused until `storeRecovered`; the rows
    /// are the caller's to write again, and are reported as committed later.
    case storeFailed(batch: UInt64)
    /// The disk takes writes again.
    case storeRecovered
    /// What lanes say. The reports that one call of a lane table gave must come in one input: a lane gives its two
    /// items back together, so that both are stamped anew in their order.
    case report([LaneReport])
    /// Time has passed.
    case tick
}
