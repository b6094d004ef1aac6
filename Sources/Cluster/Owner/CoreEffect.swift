public import Delivery

/// What the core wants done. Nothing in here is done by the core itself.
public enum CoreEffect: Hashable, Sendable {
    /// Write these rows in one transaction and report `stored` or `storeFailed`. Batches are written in order, each
    /// on top of all before it: after one that fails the store must refuse the others, also those that are on their
    /// way to it, until one comes that is a retry. It holds the refused rows again.
    case store(batch: UInt64, writes: [StoreWrite], isRetry: Bool)
    /// Answer a request. What claims that something is stored comes out only after it is.
    case reply(origin: UInt64, Reply)
    /// Tell the event's producer what became of it; best effort.
    case receipt(Receipt)
    /// Give the item to the lanes of these destinations. Its record is durable.
    indirect case offer(PushItem, [Destination])
    /// Ask APNs to manage channels; the answer comes back as `channelAnswered` with the same intent.
    case manage(intent: UInt64, app: UInt16, ChannelOperation)
    /// Worth a line in the log.
    case notice(Notice)
}
