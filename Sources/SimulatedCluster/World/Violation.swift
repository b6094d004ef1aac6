/// A promise that did not hold: where the run stopped.
public struct Violation: Hashable, Sendable {
    /// The promises that are checked, by their numbers.
    public enum Invariant: String, Hashable, Sendable, CaseIterable {
        /// One leader per term.
        case oneLeaderPerTerm = "I1"
        /// Terms and votes never go back: one vote per node and term.
        case oneVotePerTerm = "I2"
        /// The same place of the log holds the same entry.
        case logMatching = "I3"
        /// The same place of the log was applied as the same change.
        case stateMachineSafety = "I4"
        /// What was accepted by the coordinator survives.
        case acceptedSurvives = "I5"
        /// After healing there is a coordinator and all have applied the same.
        case coordinatorReturns = "I6"
        /// No healthy node is removed.
        case healthyStay = "I7"
        /// A node's incarnation grows, and only by itself.
        case incarnationIsOwn = "I8"
        /// All living nodes agree on who lives.
        case viewsAgree = "I9"
        /// A restarted node is alive under its new generation.
        case restartIsSeen = "I10"
        /// One owner per shard and epoch; replicas are distinct.
        case oneOwnerPerEpoch = "I11"
        /// Placement moves little.
        case placementIsCalm = "I12"
        /// A version is never used again with other content.
        case versionsAreUnique = "I13"
        /// An acknowledged event is on enough copies.
        case acknowledgedIsCopied = "I14"
        /// A device does not go back, and nothing follows an end.
        case deviceNeverGoesBack = "I15"
        /// Stamps grow with versions and lead by at most 30 s.
        case stampsGrow = "I16"
        /// After healing every device shows the newest acknowledged state.
        case lastStateArrives = "I17"
        /// Replicas are equal.
        case replicasAgree = "I18"
        /// Deleted rows stay deleted.
        case deletedStaysDeleted = "I19"
        /// Queues are bounded.
        case queuesAreBounded = "I22"
        /// Nothing is written to APNs without a lease.
        case leaseBeforeWrite = "I23"
        /// Nothing rings twice.
        case ringsOnce = "P5"
        /// A request is answered in the end.
        case liveness = "L1"
    }

    /// Which promise.
    public var invariant: Invariant
    /// The run's seed.
    public var seed: UInt64
    /// Nodes of the run.
    public var nodes: Int
    /// What the world had in mind.
    public var plan: NemesisPlan
    /// When, in milliseconds of the world.
    public var atMilliseconds: Int64
    /// Which node did it, from 0; nil where no single one did.
    public var node: Int?
    /// What happened.
    public var text: String

    /// The command that repeats the run.
    public var repetition: String {
        "carillon simulate --seeds \(seed)..\(seed) --nodes \(nodes) --plan \(plan.rawValue)"
    }
}
