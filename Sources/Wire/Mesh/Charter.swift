/// What a cluster is, made once at bootstrap and the same on all its nodes.
public struct Charter: Hashable, Sendable {
    /// 16 random bytes, in every mesh frame.
    public var cluster: NodeID
    /// `[cluster] name` at the time.
    public var name: String
    /// Key of the shard hash; unrelated to any secret.
    public var shardSeed: [UInt64]
    /// The first voters with their names.
    public var voters: [Voter]

    /// A voter of the first hour.
    public struct Voter: Hashable, Sendable {
        /// Who it is.
        public var id: NodeID
        /// What the configuration calls it.
        public var name: String

        /// Makes a voter.
        public init(id: NodeID, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// Makes a charter.
    public init(cluster: NodeID, name: String, shardSeed: [UInt64], voters: [Voter]) {
        self.cluster = cluster
        self.name = name
        self.shardSeed = shardSeed
        self.voters = voters
    }
}
