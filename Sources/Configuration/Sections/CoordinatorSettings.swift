/// `[coordinator]`: elections, leases and moving shards.
public struct CoordinatorSettings: Sendable, Hashable {
    /// Shortest milliseconds without a coordinator after which a voter stands for election; the longest are twice as
    /// many.
    public var electionMilliseconds = 600
    /// Milliseconds between two heartbeats of the coordinator.
    public var heartbeatMilliseconds = 150
    /// Milliseconds for which a lease holds.
    public var leaseMilliseconds = 1_500
    /// Milliseconds between two requests for it.
    public var leaseHeartbeatMilliseconds = 250
    /// Milliseconds after which the copies of a missing node are made elsewhere.
    public var rebalanceAfterMilliseconds = 60_000
    /// Most shards that change their nodes at a time.
    public var movesMax = 64

    /// With every default.
    public init() {}

    /// Longest milliseconds without a coordinator after which a voter stands for election.
    public var electionMaxMilliseconds: Int { electionMilliseconds * 2 }
}

extension CoordinatorSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .integer(
            "election_ms", \.electionMilliseconds, 100...60_000,
            "A voter that hears no coordinator for so long, up to twice as long, stands for election."),
        .integer(
            "heartbeat_ms", \.heartbeatMilliseconds, 10...10_000,
            "Time between two heartbeats of the coordinator. At most a third of election_ms."),
        .integer(
            "lease_ms", \.leaseMilliseconds, 300...60_000,
            """
            A node sends to APNs and accepts events only under a lease of this length. Its keys can be taken over when \
            the lease is over: shorter serves them again sooner, and costs take-overs of nodes that were only slow.
            """),
        .integer(
            "lease_heartbeat_ms", \.leaseHeartbeatMilliseconds, 50...20_000,
            "Time between two requests for a lease. At most a third of lease_ms."),
        .integer(
            "rebalance_after_ms", \.rebalanceAfterMilliseconds, 1_000...86_400_000,
            """
            Copies of a missing node are made elsewhere only after this time, because most come back. Its keys are \
            served by the other copies meanwhile.
            """),
        .integer(
            "moves_max", \.movesMax, 1...4_097, "Most shards that are moved at a time, of 4097."),
    ]
}
