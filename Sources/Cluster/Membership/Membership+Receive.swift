public import Delivery
public import Wire

extension Membership {
    /// Takes one message whose sender has been authenticated as `header.sender`. Never traps, whatever it says.
    public mutating func handle(
        _ message: MembershipMessage, _ header: MeshHeader, now: Moment, into effects: inout [MembershipEffect]
    ) {
        noticeStandstill(now.bootMilliseconds)
        defer {
            recount()
            announceDeadline(now.bootMilliseconds)
        }
        guard header.sender != me.id, header.sender != .none else {
            counters.misaddressed += 1
            return
        }
        switch message {
        case .join(let name, let member):
            guard header.target == .none || header.target == me.id else { return counters.misaddressed += 1 }
            takeJoin(name, member, header, now: now, into: &effects)
        case .refused(let reason, let detail):
            guard header.target == me.id else { return counters.misaddressed += 1 }
            noteRefusal(reason, by: header.sender, detail, now: now, into: &effects)
        default:
            guard admits(header, into: &effects) else { return }
            bind(to: header.cluster)
            takeFromMember(message, header, now: now, into: &effects)
        }
    }

    /// A frame of any kind named an earlier generation of this node: the sender is told who lives here now.
    public mutating func wronglyAddressed(_ header: MeshHeader, into effects: inout [MembershipEffect]) {
        counters.wrongGenerations += 1
        guard let index = table.index(of: header.sender) else { return counters.unknownSenders += 1 }
        effects.append(.send(.wrongGeneration(me), to: table[index].member))
    }

    /// Whether a message that is no join may be read at all.
    private mutating func admits(_ header: MeshHeader, into effects: inout [MembershipEffect]) -> Bool {
        guard header.target == me.id else {
            counters.misaddressed += 1
            return false
        }
        guard header.cluster == .none || knownCluster == .none || header.cluster == knownCluster else {
            counters.otherCluster += 1
            return false
        }
        guard !removed.contains(header.sender) else {
            counters.fromRemoved += 1
            if let member = gone.first(where: { $0.id == header.sender }) {
                refuse(.removed, "this node was removed from the cluster", member, into: &effects)
            }
            return false
        }
        guard let index = table.index(of: header.sender) else { return true }
        guard header.generation >= table[index].member.incarnation.generation else {
            counters.oldRuns += 1
            return false
        }
        if header.cluster != .none { table[index].cluster = header.cluster }
        return true
    }

    /// A node without a charter stays with the first cluster that speaks to it.
    private mutating func bind(to identity: NodeID) {
        guard cluster == .none, bound == .none, identity != .none else { return }
        bound = identity
        dropStrangers(to: identity)
    }

    private mutating func takeFromMember(
        _ message: MembershipMessage, _ header: MeshHeader, now: Moment, into effects: inout [MembershipEffect]
    ) {
        let isForThisRun = header.targetGeneration == 0 || header.targetGeneration == me.incarnation.generation
        var hasRefuted = false
        switch message {
        case .ping(_, let gossip), .ack(_, let gossip), .pingRequest(_, _, let gossip), .gossip(let gossip):
            hasRefuted = absorb(gossip, header, now: now, into: &effects)
        case .exchange(let rows, _, let gossip):
            let hasRefutedRow = absorb(rows: rows, header, now: now, into: &effects)
            hasRefuted = absorb(gossip, header, now: now, into: &effects) || hasRefutedRow
        case .wrongGeneration(let member):
            counters.wrongGenerations += 1
            guard member.id == header.sender else { return counters.malformed += 1 }
            takeAlive(member, cluster: header.cluster, from: header.sender, now: now, into: &effects)
        case .leave(let incarnation) where incarnation.generation == header.generation:
            let verdict = Verdict(
                state: .left, node: header.sender, incarnation: incarnation, accuser: header.sender)
            _ = take(verdict, now: now, into: &effects)
        case .leave, .nack, .join, .refused: break
        }
        guard isForThisRun else { return wronglyAddressed(header, into: &effects) }
        guard let index = table.index(of: header.sender) else { return counters.unknownSenders += 1 }
        table[index].knowsUs = true
        answer(message, index, hasRefuted: hasRefuted, now: now, into: &effects)
    }

    private mutating func answer(
        _ message: MembershipMessage, _ index: Int, hasRefuted: Bool, now: Moment,
        into effects: inout [MembershipEffect]
    ) {
        let sender = table[index].member
        switch message {
        case .ping(let sequence, _):
            let gossip = gossip(for: sender.id, now: now, ownFirst: hasRefuted)
            effects.append(.send(.ack(sequence: sequence, gossip), to: sender))
            return
        case .exchange(_, isReply: false, _):
            sendExchange(to: index, isReply: true, now: now, into: &effects)
            return
        case .ack(let sequence, let gossip):
            takeAck(sequence, gossip, from: sender.id, now: now, into: &effects)
        case .pingRequest(let sequence, let node, _):
            relay(sequence, to: node, for: sender, now: now, into: &effects)
        case .nack(let sequence):
            takeNack(sequence, from: sender.id)
        case .exchange, .gossip, .leave, .wrongGeneration, .join, .refused: break
        }
        // Whoever carried a wrong verdict is told at once.
        guard hasRefuted else { return }
        let gossip = gossip(for: sender.id, now: now, ownFirst: true)
        effects.append(.send(.gossip(gossip), to: sender))
    }

    private mutating func takeJoin(
        _ name: String, _ member: Member, _ header: MeshHeader, now: Moment, into effects: inout [MembershipEffect]
    ) {
        guard member.id == header.sender, member.incarnation.generation == header.generation, isWellFormed(member)
        else { return counters.malformed += 1 }
        guard name == clusterName else {
            return refuse(.otherName, "the cluster here is called \(clusterName)", member, into: &effects)
        }
        guard header.cluster == .none || knownCluster == .none || header.cluster == knownCluster else {
            let detail = "the cluster here is another one that is called \(clusterName) too"
            return refuse(.otherCluster, detail, member, into: &effects)
        }
        guard !removed.contains(member.id) else {
            return refuse(.removed, "this node was removed from the cluster", member, into: &effects)
        }
        let known = table.index(of: member.id).map { table[$0].member.incarnation.generation }
        guard known ?? 0 <= member.incarnation.generation else { return counters.oldRuns += 1 }
        bind(to: header.cluster)
        takeAlive(member, cluster: header.cluster, from: header.sender, now: now, into: &effects)
        // Not in the table: its name was taken, or there is no room.
        guard let index = table.index(of: member.id) else { return }
        // A run that is new here knows nothing that this node does not; one that is known may.
        let isNewRun = known != member.incarnation.generation
        sendExchange(to: index, isReply: isNewRun, now: now, into: &effects)
    }
}
