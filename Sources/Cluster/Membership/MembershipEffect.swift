public import Wire

/// What membership wants done, in this order.
public enum MembershipEffect: Hashable, Sendable {
    /// Send to a node that has described itself; the frame names the member's ID and generation.
    case send(MembershipMessage, to: Member)
    /// Send to an address of the configuration; the frame names nobody.
    case sendToSeed(name: String, control: String, MembershipMessage)
    /// A row is new (`before` is nil), changed its state, or describes itself anew.
    case changed(MemberRow, before: MemberState?)
    /// Worth a line in the log; changes of a member's state are among these.
    case notice(ClusterNotice)
}
