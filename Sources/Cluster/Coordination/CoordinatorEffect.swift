public import Wire

/// What the coordinator wants done. All of it may be lost: it is decided again.
public enum CoordinatorEffect: Hashable, Sendable {
    /// Put these commands into one entry of the log; they fit into one.
    case propose([ClusterCommand])
    /// Change who votes and who listens: at most one voter more or less than now. A learner that lacks the log must be
    /// refused as voter; it is proposed again.
    case changeVoters(VoterSet)
    /// Send on the control plane; to this node's own parts when it is addressed to this node itself.
    case send(CoordinationMessage, to: NodeID)
    /// Worth a line in the log.
    case notice(ClusterNotice)
}
