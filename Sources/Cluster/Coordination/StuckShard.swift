public import Wire

/// A shard that nobody can serve, because too few of its copies can be read or written: it waits for their nodes, or
/// for an operator's word that what only they have is lost.
public struct StuckShard: Hashable, Sendable {
    /// 0…4096; 4096 is the registry.
    public var shard: UInt16
    /// Whom it is placed on, the owner first.
    public var replicas: [NodeID]
    /// Members that live and have a copy.
    public var living: [NodeID]
    /// Members that do not answer: what only they have is lost when the loss is accepted.
    public var missing: [NodeID]

    /// Makes a description.
    public init(shard: UInt16, replicas: [NodeID], living: [NodeID], missing: [NodeID]) {
        self.shard = shard
        self.replicas = replicas
        self.living = living
        self.missing = missing
    }
}
