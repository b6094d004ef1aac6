import Wire

/// What this node knows of another one.
struct Peer: Hashable, Sendable {
    /// As it described itself last.
    var member: Member
    /// Counter of the incarnation that `state` is about; not below the description's.
    var counter: UInt32
    var state: MemberState
    /// The cluster that it was seen in; `.none` while it has no charter.
    var cluster: NodeID
    /// Who said the last verdict.
    var accuser: NodeID
    /// Only while suspect.
    var suspicion: Suspicion?
    /// How often the last change was passed on; nil when that was often enough.
    var told: Int? = 0
    /// It has spoken to this run of this node, so it knows the way back.
    var knowsUs = false
    var clock: ClockSample?
    var isClockOff = false

    init(_ member: Member, state: MemberState, cluster: NodeID, accuser: NodeID) {
        self.member = member
        counter = member.incarnation.counter
        self.state = state
        self.cluster = cluster
        self.accuser = accuser
    }

    var id: NodeID { member.id }
    var incarnation: Incarnation { Incarnation(generation: member.incarnation.generation, counter: counter) }
    var row: MemberRow { MemberRow(member: member, state: state) }
    var isPresent: Bool { state == .alive || state == .suspect }

    /// The row as a piece of gossip.
    var update: MemberUpdate {
        state == .alive ? .alive(member) : .verdict(state, node: id, incarnation: incarnation, by: accuser)
    }
}

/// One comparison of clocks.
struct ClockSample: Hashable, Sendable {
    /// The peer's clock minus ours, in milliseconds.
    var offset: Int64
    /// Half of it is how wrong `offset` may be.
    var roundTrip: Int64
}

extension MemberState {
    /// Of two statements about one incarnation the higher one holds.
    var rank: UInt8 { rawValue }
}
