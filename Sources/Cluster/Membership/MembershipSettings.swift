/// How membership probes, doubts and gossips. Values that make no sense are moved to the nearest that do.
public struct MembershipSettings: Hashable, Sendable {
    /// One member is probed in each such interval, in milliseconds; stretched by (health + 1).
    public var probeMilliseconds: Int64
    /// Wait for the direct answer before others are asked, in milliseconds; stretched by (health + 1).
    public var timeoutMilliseconds: Int64
    /// How many others are asked to probe for us.
    public var indirectProbes: Int
    /// The shortest suspicion is `factor × max(1, log10 members) × probe`.
    public var suspicionFactor: Int
    /// The longest suspicion is so many times the shortest; it applies while nobody else confirms.
    public var suspicionMaxFactor: Int
    /// Confirmations by others that bring a suspicion down to 1.3 times the shortest.
    public var confirmations: Int
    /// Interval of gossip outside of probes, in milliseconds; only while there is news.
    public var gossipMilliseconds: Int64
    /// Receivers of one such round.
    public var gossipPeers: Int
    /// Interval in which one dead member and one seed are probed, in milliseconds, for ever.
    public var deadProbeMilliseconds: Int64
    /// Interval in which seeds are asked while nobody else is known to live, in milliseconds.
    public var aloneMilliseconds: Int64
    /// Seeds that are asked at once at the start and while alone.
    public var joinSeeds: Int
    /// Interval of full exchanges with one member, in milliseconds, up to 32 members; longer above, so that their
    /// bytes per second grow with the logarithm.
    public var exchangeMilliseconds: Int64
    /// Highest value of the local health.
    public var healthMax: Int
    /// Most rows, this node among them.
    public var membersMax: Int
    /// Most pings under way on behalf of others.
    public var relaysMax: Int
    /// A fault that the simulation must find; nil outside of it.
    public var mutant: Mutant?

    /// Makes settings; see the properties.
    public init(
        probeMilliseconds: Int64 = 500, timeoutMilliseconds: Int64 = 250, indirectProbes: Int = 3,
        suspicionFactor: Int = 6, suspicionMaxFactor: Int = 3, confirmations: Int = 3,
        gossipMilliseconds: Int64 = 200, gossipPeers: Int = 3, deadProbeMilliseconds: Int64 = 10_000,
        aloneMilliseconds: Int64 = 1_000, joinSeeds: Int = 3, exchangeMilliseconds: Int64 = 30_000,
        healthMax: Int = 8, membersMax: Int = 1_024, relaysMax: Int = 256
    ) {
        self.probeMilliseconds = max(10, probeMilliseconds)
        self.timeoutMilliseconds = min(max(5, timeoutMilliseconds), self.probeMilliseconds)
        self.indirectProbes = max(0, indirectProbes)
        self.suspicionFactor = max(1, suspicionFactor)
        self.suspicionMaxFactor = max(1, suspicionMaxFactor)
        self.confirmations = max(0, confirmations)
        self.gossipMilliseconds = max(10, gossipMilliseconds)
        self.gossipPeers = max(1, gossipPeers)
        self.deadProbeMilliseconds = max(100, deadProbeMilliseconds)
        self.aloneMilliseconds = max(50, aloneMilliseconds)
        self.joinSeeds = max(1, joinSeeds)
        self.exchangeMilliseconds = max(1_000, exchangeMilliseconds)
        self.healthMax = min(max(0, healthMax), 255)
        self.membersMax = max(2, membersMax)
        self.relaysMax = max(1, relaysMax)
    }
}
