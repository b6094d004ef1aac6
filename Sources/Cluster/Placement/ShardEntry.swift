public import Wire

/// Who has a shard.
public struct ShardEntry: Hashable, Sendable {
    /// Grows with every change of the entry, and when the owner comes back under a new generation; 0: never placed.
    public var epoch: UInt64
    /// The owner first; empty while nobody has it.
    public var replicas: [NodeID]
    /// Members that get copies and do not count: on their way to become replicas, or only readers of the registry.
    public var learners: [NodeID]
    /// The replicas before the set changed, until the owner confirms `epoch`; empty when there is nothing to confirm.
    public var former: [NodeID]

    /// Makes an entry.
    public init(epoch: UInt64 = 0, replicas: [NodeID] = [], learners: [NodeID] = [], former: [NodeID] = []) {
        self.epoch = epoch
        self.replicas = replicas
        self.learners = learners
        self.former = former
    }

    /// Who gives versions and sends.
    public var owner: NodeID? { replicas.first }

    /// How many copies make a change committed: 1 of 1, 2 of 2, 2 of 3.
    public var copiesNeeded: Int { Swift.min(2, replicas.count) }

    /// How many replicas a new owner must have read, itself among them: any of these meets every committed change.
    public static func readsNeeded(of replicas: Int) -> Int { replicas - Swift.min(2, replicas) + 1 }
}
