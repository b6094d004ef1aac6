public import Codes

/// What the core finds worth logging. Holds no token and no payload.
public enum Notice: Hashable, Sendable {
    /// A batch could not be written; its events were refused and it is written again later.
    case storeFailed(batch: UInt64)
    /// A row of an adopted shard cannot be used; the others of it are.
    indirect case rowLeftOut(shard: UInt16, Fault)
    /// A channel was created at APNs.
    case channelCreated(app: UInt16)
    /// A channel that APNs had and no record named was taken for the oldest pending intent.
    case channelAdopted(app: UInt16)
    /// A channel is gone at APNs though nobody here deleted it.
    case channelLost(app: UInt16)
    /// APNs has channels that this cluster does not know; they are left alone.
    case channelsUnknown(app: UInt16, count: Int)
    /// APNs refused or could not be asked about a channel.
    case channelTrouble(app: UInt16, reason: String)
    /// A token was removed because APNs said that it is dead.
    case tokenGone(app: UInt16, status: UInt16, reason: String)
    /// A token is kept but not sent to any more: it is not of this app's environment or topic.
    case tokenQuarantined(app: UInt16, fault: TokenFault, reason: String)
    /// An activity was started on a device, and its app has not registered the update token in time.
    case startOverdue(app: UInt16, waitedMilliseconds: Int64)
    /// A start was not sent because the device had as many in the last hour as it may have.
    case startLimited(app: UInt16)
    /// APNs refused an event on at least one destination for good.
    case refused(app: UInt16, status: UInt16, reason: String)
}
