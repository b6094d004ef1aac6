public import Wire

/// What consensus wants done, in this order.
public enum ConsensusEffect: Hashable, Sendable {
    /// Write these rows in one transaction, after everything saved before. Once they are durable `saved(mark:)` is due.
    case save(writes: [StoreWrite], mark: UInt64)
    /// Send on the control plane. `isAfterSave`: only once everything saved before it is durable, because it claims so.
    case send(ConsensusMessage, to: NodeID, isAfterSave: Bool)
    /// The entry is committed. Comes in order and once per run.
    case apply(LogEntry)
    /// The applied state is from now on this one, which includes everything up to `index`.
    case install(state: [UInt8], index: UInt64)
    /// Role, term or leader are not what they were.
    case roleChanged
}

/// What part a node plays in its term.
public enum ConsensusRole: UInt8, Hashable, Sendable, CaseIterable {
    /// Takes entries from the leader; learners are always this.
    case follower
    /// Asks for votes, or whether it would get them.
    case candidate
    /// Makes the entries of its term.
    case leader
}
