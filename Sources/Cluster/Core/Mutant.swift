/// Known faults that can be switched on at run time, one at a time, to show that the simulation finds them. Nothing but
/// the simulation sets one.
public enum Mutant: String, CaseIterable, Sendable {
    // MARK: Consensus

    /// A vote is not written to disk.
    case voteNotPersisted
    /// A candidate with a shorter log gets the vote.
    case ignoreLogFreshness
    /// Half of the voters count as a majority.
    case majorityTooSmall
    /// A follower acknowledges entries behind the ones it has compared.
    case staleTailAcknowledged
    /// A conflicting tail is cut in memory and not on disk.
    case truncateNotSaved
    /// Entries of earlier terms are committed by counting copies, and a term begins without an entry of its own.
    case commitEarlierTermWithoutNoOp
    /// A follower acknowledges entries before they are durable.
    case ackBeforeSave
    /// A second candidate of the same term gets the vote as well.
    case doubleVote
    /// A snapshot leaves a conflicting tail behind it.
    case snapshotKeepsConflictingTail
    /// Voters change although the last change is not committed.
    case singleStepRuleDropped

    // MARK: Membership

    /// A new run of a member that looks alive is not noticed.
    case newRunIgnored

    // MARK: Coordinator

    /// A new coordinator reassigns at once.
    case noLeaseWaitAfterElection
    /// A lease is not bound to the node's generation.
    case leaseNotBoundToGeneration
    /// Shards are reassigned while their owner's lease runs.
    case reassignWithoutLeaseEnd
    /// What has been decided once is not decided again when it was lost.
    case edgeTriggered
    /// A change of replicas forgets the former ones at once.
    case formerNotKept
    /// A learner becomes a replica before it is in step.
    case swapInUnsyncedLearner
    /// A lease counts before its holder knows what was decided of its shards meanwhile.
    case leaseBeforeState
    /// A node whose clock is off gets a lease.
    case clockRuleDropped
    /// Replicas are chosen without looking at zones.
    case zonesIgnored
    /// The copies of a member that has just died are made elsewhere at once.
    case givenUpAtOnce
    /// A plan is made as if nobody had copies yet.
    case planFromNothing

    // MARK: Shards

    /// A change counts as committed when the owner alone has it.
    case copiesOnOwnerOnly
    /// A new owner reads nobody.
    case noQuorumRead
    /// Replicas take copies of epochs below their promise.
    case noEpochFence
    /// A promise is not written to disk.
    case promiseNotPersisted
    /// A new owner takes the lowest watermark it reads.
    case lowestWatermarkWins
    /// A new owner acts before its epoch is open on W copies.
    case epochNotOpened
    /// Copies are acknowledged before they are durable.
    case copiedBeforeStored
    /// A replica takes copies over a gap.
    case gapAccepted
    /// Changes that were never committed stay in a replica's table.
    case divergentTailKept
    /// Tombstones are dropped at once.
    case tombstonesDroppedEarly
    /// A new owner does not read the former replicas.
    case formerNotRead
    /// An owner goes on in its old epoch after a restart.
    case countReusedAfterRestart

    // MARK: Owner and node

    /// Sending goes on without a lease.
    case sendWithoutLease
    /// A take-over sends nothing again.
    case noReassertion
    /// A re-assertion rings.
    case reassertionRings
    /// The stamp is the clock alone, not above the last one.
    case stampFromClockOnly
    /// Stale records are sent with their old stamp.
    case staleStampSent
    /// Events are acknowledged before they are on W copies.
    case ackBeforeCommit
    /// Records go to lanes before they are on W copies.
    case sendBeforeCommit
    /// An ended name takes updates.
    case endNotFinal
    /// Repeated event IDs are events again.
    case repeatsForgotten
    /// A shard that moved away goes on being sent from here.
    case lanesKeepMovedShards
    /// A start that was under way when its shard moved is sent again.
    case startSentAgain
    /// Who takes the registry over begins with an empty one.
    case registryForgotten
    /// A node that does not keep the registry does not listen to it.
    case registryNotHeard
}
