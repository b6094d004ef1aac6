public import Delivery
public import Wire

/// What the core of an owner wants done. Nothing in here is done by the core itself.
public enum CoreEffect: Hashable, Sendable {
    /// Make these rows durable and copy them: the changes of one turn, those of a shard together. Batches count up by
    /// one. What waits for them comes out after `committed` or `stored`.
    case write([ShardWrite], batch: UInt64)
    /// Answer a request. What claims that something is stored comes out only after it is.
    case reply(origin: UInt64, Reply)
    /// Tell the event's producer what became of it; best effort.
    case receipt(Receipt)
    /// Give the item to the lanes of these destinations. Its record is committed.
    indirect case offer(PushItem, [Destination])
    /// The lanes forget everything of these tickets; reports on them find nothing any more.
    case withdraw(tickets: [UInt64])
    /// APNs says that the channel of this name does not exist: for the coordinator's catalogue.
    case channelLost(Key)
    /// APNs refused a token of a device; nil: it is dead. For the owner of the registry, which is another node.
    case deviceTokenRefused(Destination, TokenFault?)
    /// Worth a line in the log.
    case notice(Notice)
    /// Where an event is on its way; only with `CoreSettings.traces`.
    case stage(eventID: [UInt8], TraceStage)
}
