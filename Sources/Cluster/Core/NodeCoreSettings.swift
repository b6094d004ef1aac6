public import Delivery
import Wire

/// What the core of a node is told once.
public struct NodeCoreSettings: Sendable {
    /// How keys are served.
    public var core: CoreSettings
    /// Budgets and pacing.
    public var admission = AdmissionSettings()
    /// What the configuration calls the cluster; a node of another name is refused.
    public var clusterName: String
    /// Names of the nodes that vote at bootstrap, in the configuration's order.
    public var voters: [String]
    /// Addresses to ask when nothing is known: the other nodes of the configuration.
    public var seeds: [Seed]
    /// How members watch each other.
    public var membership = MembershipSettings()
    /// Election and heartbeat of the coordinator.
    public var consensus = ConsensusSettings()
    /// Leases and placement.
    public var coordinator = CoordinatorSettings()
    /// The node's side of leases.
    public var lease = LeaseSettings()
    /// Copies and catch-up.
    public var shards = ShardSettings()
    /// Log entries after which the log is folded into a snapshot.
    public var logEntriesKept = 1024
    /// Rows after which a turn takes over no further shard: some 10 ms of work, or 25 with records of 4 KB.
    public var adoptedRowsPerTurn = 1_000
    /// Most shards of a node that are on their way to others at once.
    public var handedShardsMax = 128
    /// Names after which no further shard is let go before others serve some of those that were: each is without
    /// service until all that are on their way with it are read.
    public var handedNamesMax = 4_096
    /// How long a node that is to stop waits for requests in flight before it lets its shards go, in milliseconds.
    public var drainMilliseconds: Int64 = 1_500
    /// How long a node that leaves for good waits for its copies to be replaced before it goes anyway, in milliseconds.
    public var leaveMilliseconds: Int64 = 50_000
    /// How long APNs is out of reach before the node says that others should own what it owns, in milliseconds.
    public var cutOffMilliseconds: Int64 = 2_000
    /// How long APNs is reached again before it says that it may own, in milliseconds.
    public var foundMilliseconds: Int64 = 5_000
    /// A known fault, for the simulation.
    public var mutant: Mutant?

    /// Makes settings with the defaults above.
    public init(core: CoreSettings, clusterName: String, voters: [String], seeds: [Seed] = []) {
        self.core = core
        self.clusterName = clusterName
        self.voters = voters
        self.seeds = seeds
    }
}

/// How a node describes itself, apart from its ID.
public struct NodeDescription: Hashable, Sendable {
    /// What the configuration calls it.
    public var name: String
    /// Failure domain.
    public var zone: String
    /// Share of the keys, in per cent.
    public var weight: UInt16
    /// Where its control plane can be reached.
    public var control: String
    /// Where its data plane can be reached.
    public var data: String
    /// Where producers reach it.
    public var producers: String

    /// Makes a description.
    public init(
        name: String, zone: String = "", weight: UInt16 = 100, control: String, data: String, producers: String
    ) {
        self.name = name
        self.zone = zone
        self.weight = weight
        self.control = control
        self.data = data
        self.producers = producers
    }

    func member(_ record: NodeRecord) -> Member {
        Member(
            id: record.id, incarnation: Incarnation(generation: record.generation), name: name, zone: zone,
            weight: weight, control: control, data: data, producers: producers, minor: MeshHeader.minor)
    }
}
