/// What came of one run.
public struct SimulationReport: Sendable {
    /// The run's seed.
    public var seed: UInt64
    /// Empty, or the one promise that did not hold.
    public var violations: [Violation] = []
    /// Events that were acknowledged.
    public var acknowledgements = 0
    /// Requests written to APNs.
    public var sends = 0
    /// Times that another node became owner of a shard with names on it.
    public var failovers = 0
    /// Times that another node became coordinator.
    public var elections = 0
    /// Restarts that nothing disturbed, so that everybody had to know of them in time.
    public var restartsSeen = 0
    /// Copies that moved to members that came.
    public var copiesMoved = 0
    /// One when the run ended with shards at rest in more than one zone.
    public var zonesAtRest = 0
    /// Activities that began by push.
    public var starts = 0
    /// Times that a start had to arrive at a device, because nothing was in its way.
    public var startsOwed = 0
    /// Shards whose loss an operator accepted.
    public var shardsRecovered = 0
    /// Crashes, disks lost for good among them.
    public var crashes = 0
    /// Disks lost for good.
    public var disksLost = 0
    /// Pauses of nodes or loops.
    public var pauses = 0
    /// Cuts of the network.
    public var cuts = 0
    /// Messages between nodes.
    public var messages = 0
    /// Things that happened in the world.
    public var events = 0
    /// Length of the run in milliseconds of the world.
    public var milliseconds: Int64 = 0
    /// Longest time in milliseconds in which no event of a name was acknowledged while its producer tried.
    public var longestSilenceMilliseconds: Int64 = 0
    /// Fingerprint of everything that happened.
    public var traceHash: UInt64 = 0

    /// Nothing happened yet.
    public init(seed: UInt64) { self.seed = seed }
}
