public import Delivery
public import Wire

/// What an operator looks at, and what the shell needs to know.
extension NodeCore {
    /// Effects that wait for disk and copies.
    public var heldBackCount: Int { owner.heldBackCount + disk.heldCount }

    /// How long the devices of the worst key that is owned here have lacked its newest state, in milliseconds.
    public mutating func ageOfNewestUnsent(now: Moment) -> Int64 { owner.ageOfNewestUnsent(now: now) }

    // MARK: Members

    /// Everybody that membership knows, this node among them, by ID.
    public var members: [MemberRow] { membership?.rows ?? [] }

    /// What membership knows of a node.
    public func member(_ id: NodeID) -> MemberRow? { membership?.row(id) }

    /// The member of a name: who is alive or suspect rather than not, then the latest run.
    public func member(named name: String) -> Member? { membership?.member(named: name) }

    /// The name of a node as far as the cluster's own word goes: of the log or the charter rather than of gossip.
    public func knownName(of id: NodeID) -> String? {
        state.members[id]?.member.name ?? charter?.voters.first { $0.id == id }?.name
            ?? membership?.row(id)?.member.name
    }

    /// A node's clock minus this node's, in milliseconds; nil until it was measured.
    public func clockOffset(of id: NodeID) -> Int64? { membership?.clockOffset(of: id) }

    /// What membership counted.
    public var membershipCounters: MembershipCounters { membership?.counters ?? MembershipCounters() }

    // MARK: Coordinator

    /// Who coordinates, as far as this node knows.
    public var coordinatorID: NodeID? { consensus?.leader }

    /// The coordinator's term; 0 before there is a cluster.
    public var term: UInt64 { consensus?.term ?? 0 }

    /// How long a member still owns nothing because it flaps, in milliseconds; nil when it may own, or this node does
    /// not coordinate.
    public func flapPenalty(of id: NodeID, now: Moment) -> Int64? {
        coordinatesTerm == nil ? nil : coordinator?.flapPenalty(of: id, now: now)
    }

    /// Who votes.
    public var voters: [NodeID] { consensus?.voters.voters ?? [] }

    /// The last entry of the coordinator's log that is applied here.
    public var stateIndex: UInt64 { consensus?.applied ?? 0 }

    /// When this node's lease ends, in milliseconds since boot; a past time when there is none.
    public var leaseUntil: Int64 { lease?.until ?? .min }

    /// What consensus counted.
    public var consensusCounters: ConsensusCounters { consensus?.counters ?? ConsensusCounters() }

    // MARK: Shards

    /// What this node is for a shard.
    public func role(of shard: UInt16) -> ShardRole { shards?.role(shard) ?? .none }

    /// Whether this node's copy of a shard counts when a new owner reads.
    public func isValid(_ shard: UInt16) -> Bool { shards?.isValid(shard) ?? false }

    /// Whether another member has every change of a shard that is owned here.
    public func isInStep(_ shard: UInt16, _ node: NodeID) -> Bool { shards?.isInStep(shard, node) ?? false }

    /// Count and hash of this node's rows of a shard; nil while it belongs to no cluster.
    public func digest(of shard: UInt16) -> ShardDigest? { shards?.digest(shard) }

    /// What the shards counted.
    public var shardCounters: ShardCounters { shards?.counters ?? ShardCounters() }

    /// Rows of all shards that are kept here, tombstones among them.
    public var rowCount: Int { shards?.rowCount ?? 0 }
}

extension NodeCore {
    /// Whether a caller is served: the node has its lease, and every shard that it owns has been taken over whole.
    public func isServing(now: Moment) -> Bool {
        guard let record, maySend(now: now), activated.isEmpty, state.placement.version > 0 else { return false }
        return owner.shardCount >= state.placement.entries.count { $0.owner == record.id }
    }
}
