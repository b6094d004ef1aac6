public import Codes
public import Wire

/// The answer to one request. The large and rare ones are indirect, because thousands of answers wait for the disk at
/// a time.
public enum Reply: Hashable, Sendable {
    /// The event is stored, or was before.
    case acknowledged(Acknowledgement)
    /// The event is stored for a channel and for an activity.
    indirect case acknowledgedBoth(channel: Acknowledgement, activity: Acknowledgement)
    /// The request is refused; the retry time in milliseconds says when the same may succeed.
    indirect case refused(Fault, retryMilliseconds: Int64?)
    /// The most recent message of a name.
    indirect case state(StateAnswer)
    /// What became of an event.
    indirect case status(StatusAnswer)
    /// The token is registered; `isNew` is false when it was before.
    case registered(isNew: Bool, instance: UInt32, tokens: Int)
    /// The token is not registered any more; `wasKnown` is false when it was not before.
    case unregistered(wasKnown: Bool, instance: UInt32, tokens: Int)
    /// Who follows an activity, and where it was started.
    indirect case activity(ActivityAnswer)
    /// The channel exists; `isNew` is false when it did before.
    indirect case channel(ChannelSummary, isNew: Bool)
    /// The channel exists no more; `wasKnown` is false when it did not before.
    case channelDeleted(wasKnown: Bool)
    /// The channels of an app, sorted by name.
    case channels([ChannelSummary])
    /// An operator's word counts for these shards; the others that were named are not stuck.
    case lossAccepted([StuckShard])
}

/// The answer to an accepted event.
public struct Acknowledgement: Hashable, Sendable {
    /// The caller's event ID.
    public var eventID: [UInt8]
    /// The version that the event has now.
    public var version: Version
    /// The instance it belongs to.
    public var instance: UInt32
    /// How many copies are durable.
    public var copies: Int
    /// Whether the event ID was seen before, so that nothing was done.
    public var isRepeated: Bool
    /// What has become of it so far: `accepted` unless repeated.
    public var outcome: EventOutcome

    /// Makes an acknowledgement.
    public init(
        eventID: [UInt8], version: Version, instance: UInt32, copies: Int, isRepeated: Bool, outcome: EventOutcome
    ) {
        self.eventID = eventID
        self.version = version
        self.instance = instance
        self.copies = copies
        self.isRepeated = isRepeated
        self.outcome = outcome
    }
}

/// The most recent message of a name.
public struct StateAnswer: Hashable, Sendable {
    /// App, kind, name and instance.
    public var key: Key
    /// The record as it stands.
    public var record: Record
    /// What has become of its event so far.
    public var outcome: EventOutcome
}

/// What became of an event.
public struct StatusAnswer: Hashable, Sendable {
    /// The caller's event ID.
    public var eventID: [UInt8]
    /// The name it was published for, with its instance.
    public var key: Key
    /// The sequence of its newest version.
    public var sequence: UInt64
    /// What has become of it so far.
    public var outcome: EventOutcome
    /// Destinations so far; all zero once the event is settled.
    public var tally: Tally
}
