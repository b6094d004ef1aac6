/// What the coordinator goes by; durations in milliseconds.
public struct CoordinatorSettings: Hashable, Sendable {
    /// How long a lease lasts, from the sending of its request.
    public var leaseMilliseconds: Int64
    /// What a new coordinator waits beyond a whole lease: its predecessor may have given one that much later.
    public var electionMarginMilliseconds: Int64 = 200
    /// A clock further off the median than this gets no lease.
    public var clockOffMaxMilliseconds: Int64 = 2000
    /// How often everything is looked at.
    public var reconcileMilliseconds: Int64 = 100
    /// How long a proposal or a request is believed to be under way before it is made again.
    public var proposalMilliseconds: Int64 = 1000
    /// How long a member is dead before its copies are made elsewhere; doubled with every flap.
    public var rebalanceAfterMilliseconds: Int64
    /// How long a member that came back is alive before it owns again; doubled with every further flap.
    public var promoteAfterMilliseconds: Int64 = 10_000
    /// Longest of the two waits above, and how long a flap counts.
    public var flapMilliseconds: Int64 = 600_000
    /// More than a third of the members dying within this long stops all moves of data.
    public var brakeWindowMilliseconds: Int64 = 10_000
    /// For how long it does.
    public var brakeMilliseconds: Int64 = 300_000
    /// How long an owner may take for its take-over before the entry may be changed for other reasons than its loss.
    public var takeOverMilliseconds: Int64 = 5000
    /// How long an owner's word that it waits for copies counts; it is repeated every second.
    public var waitingMilliseconds: Int64 = 3000
    /// How long a member is cut off from APNs, while others are not, before they get what it owns.
    public var cutOffGraceMilliseconds: Int64 = 1000
    /// Most shards that get new copies at a time, in the whole cluster.
    public var movesMax = 64
    /// Most shards that change hands at a time without need.
    public var handOversMax = 128
    /// Shards that are placed at all; nil: every one. For the simulation, which has few keys and no time for four
    /// thousand empty shards.
    public var placedOnly: Set<UInt16>?
    /// Names of the members that are to vote, by this node's configuration; those of the charter vote in any case.
    public var voters: [String] = []
    /// Copies of every shard when there are members enough.
    public var replicas = 3
    /// A fault that the simulation must find; nil outside of it.
    public var mutant: Mutant?

    /// Makes settings.
    public init(
        leaseMilliseconds: Int64 = 2000, rebalanceAfterMilliseconds: Int64 = 60_000, mutant: Mutant? = nil
    ) {
        self.leaseMilliseconds = leaseMilliseconds
        self.rebalanceAfterMilliseconds = rebalanceAfterMilliseconds
        self.mutant = mutant
    }

    /// How long the coordinator counts a lease from the receipt of its request: clocks need not run alike by 5 %.
    var grantMilliseconds: Int64 { leaseMilliseconds + leaseMilliseconds / 20 }
}
