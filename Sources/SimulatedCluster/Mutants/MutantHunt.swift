public import Cluster

/// How a known fault is looked for: in which world, and which promises would notice it.
public struct MutantHunt: Sendable {
    /// The fault.
    public let mutant: Mutant
    /// Nodes of the world.
    public let nodes: Int
    /// What the world has in mind.
    public let plan: NemesisPlan
    /// The promises whose breach shows the fault. A breach of another one, or a trap, shows nothing.
    public let fitting: [Violation.Invariant]
    /// A seed that has shown it; a change of anything may shift it.
    public let hint: UInt64
    /// Why nobody could notice it; nil: it has to be found.
    public let equivalent: String?

    init(
        _ mutant: Mutant, _ plan: NemesisPlan, nodes: Int = 3, _ fitting: [Violation.Invariant], hint: UInt64,
        equivalent: String? = nil
    ) {
        self.mutant = mutant
        self.plan = plan
        self.nodes = nodes
        self.fitting = fitting
        self.hint = hint
        self.equivalent = equivalent
    }

    /// What a seed's world is told.
    public var options: SimulationOptions {
        var options = SimulationOptions()
        options.nodes = nodes
        options.plan = plan
        options.mutant = mutant
        return options
    }

    /// The seeds to try, the hint first.
    public func seeds(of range: ClosedRange<UInt64>) -> [UInt64] { [hint] + range.filter { $0 != hint } }

    /// The command that repeats a seed.
    public func repetition(seed: UInt64) -> String {
        "carillon simulate --mutant \(mutant.rawValue) --plan \(plan.rawValue) --nodes \(nodes)"
            + " --seeds \(seed)..\(seed)"
    }

    /// One hunt for every mutant, in their order.
    public static let all: [MutantHunt] = consensus + membership + coordinator + shards + owner

    private static let consensus = [
        MutantHunt(.voteNotPersisted, .votes, [.oneVotePerTerm], hint: 1),
        MutantHunt(.ignoreLogFreshness, .none, [.acceptedSurvives], hint: 1),
        MutantHunt(.majorityTooSmall, .none, [.oneLeaderPerTerm, .acceptedSurvives], hint: 1),
        MutantHunt(.staleTailAcknowledged, .tails, [.stateMachineSafety, .acceptedSurvives], hint: 1),
        MutantHunt(.truncateNotSaved, .tails, [.logMatching], hint: 3),
        MutantHunt(.commitEarlierTermWithoutNoOp, .tails, [.acceptedSurvives, .stateMachineSafety], hint: 1),
        MutantHunt(.ackBeforeSave, .none, [.acceptedSurvives], hint: 1),
        MutantHunt(.doubleVote, .none, [.oneVotePerTerm, .oneLeaderPerTerm], hint: 12),
        MutantHunt(.snapshotKeepsConflictingTail, .tails, [.logMatching, .stateMachineSafety], hint: 1),
        MutantHunt(.singleStepRuleDropped, .voters, [.oneLeaderPerTerm], hint: 4),
    ]

    private static let membership = [
        MutantHunt(.newRunIgnored, .none, [.restartIsSeen], hint: 27)
    ]

    private static let coordinator = [
        MutantHunt(.noLeaseWaitAfterElection, .none, [.versionsAreUnique], hint: 1),
        MutantHunt(.leaseNotBoundToGeneration, .none, [.restartIsSeen], hint: 1),
        MutantHunt(.reassignWithoutLeaseEnd, .none, [.versionsAreUnique], hint: 1),
        // Liveness, as I6 and I10 are.
        MutantHunt(.edgeTriggered, .none, [.coordinatorReturns, .restartIsSeen], hint: 15),
        MutantHunt(.formerNotKept, .moves, nodes: 5, [.acknowledgedIsCopied], hint: 5),
        MutantHunt(.swapInUnsyncedLearner, .moves, nodes: 5, [.acknowledgedIsCopied], hint: 2),
        MutantHunt(.leaseBeforeState, .none, [.versionsAreUnique], hint: 1),
        MutantHunt(.clockRuleDropped, .clocks, [.leaseBeforeWrite], hint: 3),
        MutantHunt(.zonesIgnored, .none, nodes: 5, [.oneOwnerPerEpoch], hint: 5),
        MutantHunt(.givenUpAtOnce, .none, nodes: 5, [.placementIsCalm], hint: 1),
        MutantHunt(.planFromNothing, .moves, nodes: 5, [.placementIsCalm], hint: 2),
    ]

    private static let shards = [
        MutantHunt(.copiesOnOwnerOnly, .none, [.acknowledgedIsCopied], hint: 1),
        MutantHunt(.noQuorumRead, .none, [.acknowledgedIsCopied], hint: 2),
        MutantHunt(.noEpochFence, .fence, [.acknowledgedIsCopied], hint: 6),
        MutantHunt(.promiseNotPersisted, .fence, [.acknowledgedIsCopied], hint: 2),
        MutantHunt(.lowestWatermarkWins, .none, [.acknowledgedIsCopied], hint: 1),
        MutantHunt(.epochNotOpened, .none, [.acknowledgedIsCopied], hint: 1),
        MutantHunt(.copiedBeforeStored, .none, [.acknowledgedIsCopied], hint: 1),
        MutantHunt(.gapAccepted, .gaps, [.replicasAgree], hint: 1),
        MutantHunt(.divergentTailKept, .none, [.replicasAgree], hint: 3),
        MutantHunt(.tombstonesDroppedEarly, .gaps, [.deletedStaysDeleted, .replicasAgree], hint: 1),
        MutantHunt(.formerNotRead, .moves, nodes: 5, [.acknowledgedIsCopied], hint: 5),
        MutantHunt(.countReusedAfterRestart, .none, [.versionsAreUnique], hint: 12),
    ]

    private static let owner = [
        MutantHunt(.sendWithoutLease, .none, [.leaseBeforeWrite, .versionsAreUnique], hint: 1),
        // Liveness, as I17 is.
        MutantHunt(.noReassertion, .none, [.lastStateArrives], hint: 1),
        MutantHunt(.reassertionRings, .none, [.ringsOnce], hint: 1),
        MutantHunt(.stampFromClockOnly, .none, [.stampsGrow, .deviceNeverGoesBack], hint: 1),
        MutantHunt(.staleStampSent, .none, [.stampsGrow], hint: 1),
        MutantHunt(.ackBeforeCommit, .none, [.acknowledgedIsCopied], hint: 1),
        MutantHunt(
            .sendBeforeCommit, .none, [.stampsGrow, .versionsAreUnique, .deviceNeverGoesBack], hint: 4),
        MutantHunt(.endNotFinal, .none, [.deviceNeverGoesBack], hint: 1),
        MutantHunt(.repeatsForgotten, .none, [.ringsOnce], hint: 8),
        MutantHunt(.lanesKeepMovedShards, .none, [.leaseBeforeWrite], hint: 3),
        MutantHunt(.startSentAgain, .none, [.ringsOnce], hint: 1),
        MutantHunt(.registryForgotten, .none, [.acknowledgedIsCopied], hint: 1),
        MutantHunt(.registryNotHeard, .none, [.replicasAgree], hint: 1),
    ]
}
