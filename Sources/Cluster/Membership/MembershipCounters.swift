/// What membership has counted since the start of the node.
public struct MembershipCounters: Hashable, Sendable {
    /// Direct probes sent.
    public var probes: UInt64 = 0
    /// Probes that were answered in time, directly or through others.
    public var acks: UInt64 = 0
    /// Probes for which others were asked.
    public var indirect: UInt64 = 0
    /// Probes that nobody answered.
    public var failures: UInt64 = 0
    /// Acks of probes that were over; they only refresh the round-trip time.
    public var staleAcks: UInt64 = 0
    /// Members that became suspect here.
    public var suspicions: UInt64 = 0
    /// Members that were suspect here and contradicted.
    public var refuted: UInt64 = 0
    /// Verdicts about this node that it contradicted.
    public var refutations: UInt64 = 0
    /// Members that became dead here, whoever said it first.
    public var deaths: UInt64 = 0
    /// Dead members and seeds that were probed.
    public var deadProbes: UInt64 = 0
    /// Joins that were refused here.
    public var refusedJoins: UInt64 = 0
    /// Members that were not taken because a living one has their name.
    public var nameConflicts: UInt64 = 0
    /// Messages about or to another generation of this node.
    public var wrongGenerations: UInt64 = 0
    /// Messages of an earlier run of a member.
    public var oldRuns: UInt64 = 0
    /// Messages that were for another node, or came from this one.
    public var misaddressed: UInt64 = 0
    /// Messages from other clusters.
    public var otherCluster: UInt64 = 0
    /// Messages of nodes that were removed.
    public var fromRemoved: UInt64 = 0
    /// Messages of nodes whose address is not known, so that they got no answer.
    public var unknownSenders: UInt64 = 0
    /// Updates that no honest member can have made.
    public var malformed: UInt64 = 0
    /// Rows and relays for which there was no room.
    public var overflow: UInt64 = 0
    /// Times that this node itself had stood still; its waiting was prolonged by as long.
    public var stalls: UInt64 = 0

    /// Makes counters at zero.
    public init() {}
}
