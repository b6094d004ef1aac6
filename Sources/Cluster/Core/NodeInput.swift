public import Delivery
public import Wire

/// What happens to a node's core.
public enum NodeInput: Sendable {
    /// A request of a producer or admin that `route` said is to be answered here.
    case request(CoreInput)
    /// A message on the control plane, whose sender has been authenticated.
    case control(ControlMessage, MeshHeader)
    /// A message on the data plane about copies, whose sender has been authenticated.
    case replication(ReplicationMessage, MeshHeader)
    /// All batches up to this one are durable.
    case stored(batch: UInt64)
    /// This batch could not be written.
    case storeFailed(batch: UInt64)
    /// What lanes say; the reports that one call of a lane table gave come in one input.
    case report([LaneReport])
    /// A request about channels that `routeCoordinator` said is to be answered here, or what APNs said to a `manage`
    /// effect.
    case channel(ChannelInput)
    /// An operator's word, which `routeCoordinator` said is to be heard here: what the missing copies of these shards
    /// had is lost; nil: of all that are stuck.
    case acceptLoss(origin: UInt64, of: Set<UInt16>?)
    /// The node is to stop: hand over what it owns. `isFinal`: it leaves the cluster for good.
    case drain(isFinal: Bool)
    /// What the sending loops see of APNs has changed.
    case reach(Reach)
    /// Time has passed.
    case tick
}
