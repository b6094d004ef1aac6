/// What the core finds worth logging. Holds no token and no payload.
public enum Notice: Hashable, Sendable {
    /// A batch could not be written; its events were refused and it is written again later.
    case storeFailed(batch: UInt64, writes: Int)
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
    /// APNs refused an event on at least one destination for good.
    case refused(app: UInt16, status: UInt16, reason: String)
}
