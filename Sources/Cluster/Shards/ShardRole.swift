/// What this node is for a shard.
public enum ShardRole: Hashable, Sendable {
    /// The placement does not name it, or only as a former replica.
    case none
    /// It gets copies that do not count.
    case learner
    /// It keeps a copy.
    case replica
    /// It is the owner, as far as it has come.
    case owner(ShardStage)
}

/// How far an owner has come with its epoch.
public enum ShardStage: UInt8, Hashable, Sendable {
    /// It may not serve this epoch: a higher one was promised, or an earlier run of this node had it.
    case closed
    /// Its own promise is not durable yet.
    case promising
    /// It collects promises.
    case asking
    /// Somebody is ahead and sends what is missing.
    case fetching
    /// The change that opens the epoch is not on W replicas yet.
    case opening
    /// It serves the shard.
    case active
}
