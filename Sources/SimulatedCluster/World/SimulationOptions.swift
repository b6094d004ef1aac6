public import Cluster

/// What a run is told besides its seed.
public struct SimulationOptions: Sendable {
    /// Nodes of the cluster, 1 to 9.
    public var nodes = 5
    /// How long faults are on, in milliseconds of the world.
    public var chaosMilliseconds: Int64 = 60_000
    /// How long the world then has to come to rest.
    public var restMilliseconds: Int64 = 60_000
    /// Names that are published to.
    public var names = 12
    /// A known fault of the cluster, to see whether it is found; nil: none.
    public var mutant: Mutant?
    /// Which faults the world may do; nil: a subset chosen by the seed.
    public var faults: FaultKinds?
    /// What the world has in mind besides its faults; nil: what the seed says.
    public var plan: NemesisPlan?
    /// Gets a line for everything that happens; nil: none is made.
    public var trace: (@Sendable (String) -> Void)?

    /// Five nodes, a minute of faults chosen by the seed, no mutant.
    public init() {}
}
