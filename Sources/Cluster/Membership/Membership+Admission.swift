import Delivery
import Wire

/// Where a described member stands in the table.
enum Place: Hashable, Sendable {
    case known(Int)
    case added(Int)
}

extension Membership {
    /// Finds the row of a living member, or makes one; nil when it may not come in.
    mutating func place(
        for member: Member, cluster: NodeID, from teller: NodeID, now: Moment, into effects: inout [MembershipEffect]
    ) -> Place? {
        guard isWellFormed(member) else {
            counters.malformed += 1
            return nil
        }
        guard !removed.contains(member.id) else { return nil }
        let known = table.index(of: member.id)
        let isSameName = known.map { table[$0].member.name == member.name } ?? false
        if !isSameName, let bearer = bearer(of: member) {
            if known.map({ table[$0].member.incarnation < member.incarnation }) ?? true {
                refuseName(of: member, bearer: bearer, from: teller, into: &effects)
            }
            return nil
        }
        if let known { return .known(known) }
        guard makeRoom() else {
            counters.overflow += 1
            return nil
        }
        let index = table.insert(Peer(member, state: .alive, cluster: cluster, accuser: member.id))
        gossipDue = min(gossipDue, now.bootMilliseconds)
        effects.append(.changed(table[index].row, before: nil))
        effects.append(.notice(.member(name: member.name, .alive)))
        recount()
        return .added(index)
    }

    /// Adds a member that somebody holds for suspect, dead or gone, or takes a later run of one that is known.
    mutating func add(
        _ member: Member, state: MemberState, _ header: MeshHeader, now: Moment,
        into effects: inout [MembershipEffect]
    ) {
        if let index = table.index(of: member.id) {
            table[index].member = member
            table[index].counter = member.incarnation.counter
            table[index].knowsUs = false
            setState(state, at: index, by: .none, now: now, into: &effects)
            return
        }
        guard makeRoom() else {
            counters.overflow += 1
            return
        }
        var peer = Peer(member, state: state, cluster: header.cluster, accuser: .none)
        peer.told = nil
        if state == .suspect {
            peer.suspicion = Suspicion(
                settings: settings, members: membersPresent + 1, accuser: .none, now: now.bootMilliseconds)
        }
        let index = table.insert(peer)
        effects.append(.changed(table[index].row, before: nil))
        recount()
    }

    /// No ID, no way to it, or too long for the table.
    func isWellFormed(_ member: Member) -> Bool {
        member.id != .none && !member.name.isEmpty && !member.control.isEmpty
            && member.incarnation.counter != .max
            && member.name.utf8.count <= Member.nameBytesMax && member.zone.utf8.count <= Member.nameBytesMax
            && member.control.utf8.count <= Member.endpointBytesMax
            && member.data.utf8.count <= Member.endpointBytesMax
            && member.producers.utf8.count <= Member.endpointBytesMax
    }

    /// Another living member of the same name.
    func bearer(of member: Member) -> Member? {
        if member.name == me.name, member.id != me.id { return me }
        guard let other = table.named(member.name, except: member.id), other.isPresent else { return nil }
        return other.member
    }

    private mutating func refuseName(
        of member: Member, bearer: Member, from teller: NodeID, into effects: inout [MembershipEffect]
    ) {
        counters.nameConflicts += 1
        guard teller == member.id else { return }
        refuse(.nameTaken, "\(member.name) is \(bearer.id) and lives", member, into: &effects)
    }

    mutating func refuse(
        _ reason: RefusalReason, _ detail: String, _ member: Member, into effects: inout [MembershipEffect]
    ) {
        counters.refusedJoins += 1
        effects.append(.send(.refused(code: reason, detail: detail), to: member))
    }

    /// The table is bounded; a dead member whose name has a new bearer is the only one that may go.
    private mutating func makeRoom() -> Bool {
        guard table.count + 1 >= settings.membersMax else { return true }
        let replaced = table.peers.firstIndex { peer in
            guard !peer.isPresent else { return false }
            return peer.member.name == me.name || table.named(peer.member.name, except: peer.id)?.isPresent == true
        }
        guard let replaced else { return false }
        table.remove(at: replaced)
        return true
    }

    /// Tells an operator once a minute that this node is not wanted somewhere.
    mutating func noteRefusal(
        _ reason: RefusalReason, by sender: NodeID, _ detail: String, now: Moment,
        into effects: inout [MembershipEffect]
    ) {
        let time = now.bootMilliseconds
        toldRefusals.removeAll { time - $0.bootMilliseconds >= 60_000 }
        guard toldRefusals.count < 16,
            !toldRefusals.contains(where: { $0.sender == sender && $0.reason == reason })
        else { return }
        toldRefusals.append(ToldRefusal(sender: sender, reason: reason, bootMilliseconds: time))
        effects.append(.notice(.refused(reason, detail: detail)))
    }
}
