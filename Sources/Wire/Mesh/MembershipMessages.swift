/// Rides on every ping and ack: what is worth telling to everybody, and the sender's own state.
public struct Gossip: Hashable, Sendable {
    /// Most updates in one message.
    public static let updatesMax = 6

    /// News, at most `updatesMax`.
    public var updates: [MemberUpdate]
    /// Index of the last log entry that the sender has applied to the cluster state.
    public var stateIndex: UInt64
    /// The sender's clock, in milliseconds since 1970.
    public var wallMilliseconds: Int64
    /// The sender's local health, 0 (well) to 8.
    public var health: UInt8

    /// Makes gossip.
    public init(updates: [MemberUpdate] = [], stateIndex: UInt64 = 0, wallMilliseconds: Int64, health: UInt8 = 0) {
        self.updates = updates
        self.stateIndex = stateIndex
        self.wallMilliseconds = wallMilliseconds
        self.health = health
    }
}

/// A row of the full exchange: what the sender knows of one member.
public struct MemberRow: Hashable, Sendable {
    /// How it described itself last.
    public var member: Member
    /// What the sender thinks of it.
    public var state: MemberState

    /// Makes a row.
    public init(member: Member, state: MemberState) {
        self.member = member
        self.state = state
    }
}

/// The messages of membership (SWIM).
public enum MembershipMessage: Hashable, Sendable {
    /// Are you there?
    case ping(sequence: UInt32, Gossip)
    /// Yes; `sequence` is the ping's.
    case ack(sequence: UInt32, Gossip)
    /// Ask `node` for me, and tell me its answer under my sequence.
    case pingRequest(sequence: UInt32, node: NodeID, Gossip)
    /// I asked and have not heard yet: I am well, it may not be.
    case nack(sequence: UInt32)
    /// News outside of probes.
    case gossip(Gossip)
    /// Everything the sender knows; `wantsReply` asks for the same. `isReply` answers one.
    case exchange(rows: [MemberRow], isReply: Bool, Gossip)
    /// I want in; sent to an address of the configuration. The answer is an exchange or a `refused`.
    case join(clusterName: String, Member)
    /// Not here: another cluster's name or identity, or a living node of the same name.
    case refused(code: RefusalReason, detail: String)
    /// I go.
    case leave(Incarnation)
    /// You speak to a generation of me that is over: this is me.
    case wrongGeneration(Member)
}

/// Why a node may not join. Raw values are on the wire: never renumber.
public enum RefusalReason: UInt8, Hashable, Sendable, CaseIterable {
    /// `[cluster] name` differs.
    case otherName = 1
    /// Both belong to clusters, and to different ones.
    case otherCluster = 2
    /// A living member has the same name and another ID: a copy was started, or its disk was replaced while it lives.
    case nameTaken = 3
    /// The coordinator removed this node for good.
    case removed = 4
    /// The mesh protocol's major version differs.
    case otherVersion = 5
}
