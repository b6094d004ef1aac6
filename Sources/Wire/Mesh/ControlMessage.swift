/// Everything that travels on the control plane. All of it may be lost and is repeated by its sender.
public enum ControlMessage: Hashable, Sendable {
    /// Who is alive.
    case membership(MembershipMessage)
    /// The coordinator's log.
    case consensus(ConsensusMessage)
    /// Leases and what members report.
    case coordination(CoordinationMessage)
}
