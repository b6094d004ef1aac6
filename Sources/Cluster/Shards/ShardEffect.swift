public import Wire

/// What the shards of a node want done, in this order.
public enum ShardEffect: Hashable, Sendable {
    /// Put these rows into the open batch.
    case store([StoreWrite])
    /// Send at once.
    case send(ReplicationMessage, to: NodeID)
    /// Send once the open batch is durable.
    case sendAfterStored(ReplicationMessage, to: NodeID)
    /// All changes of the shard that were made here in batches up to this one are on W replicas.
    case committed(shard: UInt16, upTo: UInt64)
    /// The take-over is done: the shard's rows may be handed to the owner's core.
    case activated(shard: UInt16, epoch: UInt64)
    /// The shard is not served here any more: a new placement, or somebody has promised a higher epoch.
    case deactivated(shard: UInt16)
    /// Rows of the registry that arrived on a node that is not its owner; nil values are deletions.
    case registryChanged([ShardRow])
    /// For the coordinator, whoever it is.
    case progress(Progress)
    /// For the coordinator: owned shards that wait for copies to read; best effort, repeated.
    case waiting([Progress.ShardEpoch])
    /// Worth a line in the log.
    case notice(ClusterNotice)
}
