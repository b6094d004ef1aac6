/// One entry of the coordinator's log.
public struct LogEntry: Hashable, Sendable {
    /// Longest payload in bytes.
    public static let bytesMax = 1 << 20

    /// What an entry is.
    public enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        /// Nothing: what a new leader begins its term with.
        case nothing = 0
        /// A command of the cluster state.
        case command = 1
        /// A new set of voters and learners; `payload` is `VoterSet`'s form.
        case voters = 2
    }

    /// Term of the leader that made it.
    public var term: UInt64
    /// Its place, from 1.
    public var index: UInt64
    /// What it is.
    public var kind: Kind
    /// Its bytes.
    public var payload: [UInt8]

    /// Makes an entry.
    public init(term: UInt64, index: UInt64, kind: Kind, payload: [UInt8] = []) {
        self.term = term
        self.index = index
        self.kind = kind
        self.payload = payload
    }
}

/// Who votes and who only listens.
public struct VoterSet: Hashable, Sendable {
    /// Sorted.
    public var voters: [NodeID]
    /// Sorted; members that get the log and have no vote.
    public var learners: [NodeID]

    /// Sorts both.
    public init(voters: [NodeID], learners: [NodeID] = []) {
        self.voters = voters.sorted()
        self.learners = learners.sorted()
    }
}

/// The messages of consensus (Raft).
public enum ConsensusMessage: Hashable, Sendable {
    /// A vote, or with `isTrial` the question whether one would be given (pre-vote). `isTransfer`: the leader asked for
    /// this election, so the receiver need not have missed it.
    case voteRequest(term: UInt64, lastIndex: UInt64, lastTerm: UInt64, isTrial: Bool, isTransfer: Bool)
    /// The answer.
    case vote(term: UInt64, isGranted: Bool, isTrial: Bool)
    /// Entries behind (`previousIndex`, `previousTerm`); none is a heartbeat. `round` comes back with the answer.
    case append(
        term: UInt64, previousIndex: UInt64, previousTerm: UInt64, entries: [LogEntry], committed: UInt64, round: UInt64
    )
    /// The answer: everything up to `matched` agrees, or `hint` says where to try.
    case appended(term: UInt64, matched: UInt64, isRejected: Bool, hint: UInt64, round: UInt64)
    /// A piece of a snapshot of the state at (`index`, `lastTerm`); `offset` counts from 0.
    case snapshot(
        term: UInt64, index: UInt64, lastTerm: UInt64, voters: VoterSet, offset: UInt32, bytes: [UInt8], isLast: Bool)
    /// How much of the snapshot has arrived.
    case snapshotTaken(term: UInt64, index: UInt64, offset: UInt32)
    /// Begin an election at once: the leader goes.
    case transfer(term: UInt64)
}
