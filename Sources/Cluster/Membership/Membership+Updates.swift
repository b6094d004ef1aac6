import Delivery
import Wire

/// A statement that an incarnation of a node is suspect, dead or has left.
struct Verdict: Hashable, Sendable {
    var state: MemberState
    var node: NodeID
    var incarnation: Incarnation
    var accuser: NodeID
}

// Statements about a node are ordered by (incarnation, rank of the state), and the highest one holds: whatever the
// order in which they arrive, all members end with the same. Descriptions are taken by their own incarnation.
extension Membership {
    /// The node, in this incarnation, is alive and describes itself so. `teller` passed it on.
    mutating func takeAlive(
        _ member: Member, cluster: NodeID, from teller: NodeID, now: Moment, into effects: inout [MembershipEffect]
    ) {
        guard member.id != me.id else { return hearOfMyself(member, now: now, into: &effects) }
        guard let place = place(for: member, cluster: cluster, from: teller, now: now, into: &effects) else { return }
        guard case .known(let index) = place else { return }
        let known = table[index].incarnation
        let described = table[index].member.incarnation
        guard member.incarnation > described else { return }
        let before = table[index].state
        let isNewRun = member.incarnation.generation > described.generation
        if settings.mutant == .newRunIgnored, isNewRun, before.rank < MemberState.dead.rank { return }
        table[index].member = member
        if cluster != .none { table[index].cluster = cluster }
        if isNewRun {
            table[index].knowsUs = false
            table[index].clock = nil
            table[index].isClockOff = false
        }
        guard member.incarnation > known else {
            effects.append(.changed(table[index].row, before: before))
            return
        }
        table[index].counter = member.incarnation.counter
        if before == .suspect { counters.refuted += 1 }
        if before == .dead, !isNewRun { reunite(with: member.id, now: now) }
        setState(.alive, at: index, by: member.id, now: now, into: &effects)
    }

    /// Somebody doubts the node, calls it dead, or saw it leave. True when it was about this node and wrong.
    mutating func take(_ verdict: Verdict, now: Moment, into effects: inout [MembershipEffect]) -> Bool {
        guard verdict.state != .alive, verdict.incarnation.counter != .max else {
            counters.malformed += 1
            return false
        }
        guard verdict.node != me.id else { return refute(verdict) }
        guard let index = table.index(of: verdict.node) else { return false }
        let peer = table[index]
        guard verdict.incarnation.generation == peer.incarnation.generation else { return false }
        let statement = (verdict.incarnation.counter, verdict.state.rank)
        if statement > (peer.counter, peer.state.rank) {
            table[index].counter = verdict.incarnation.counter
            setState(verdict.state, at: index, by: verdict.accuser, now: now, into: &effects)
        } else if statement == (peer.counter, peer.state.rank), peer.state == .suspect, isMember(verdict.accuser),
            table[index].suspicion?.confirm(by: verdict.accuser) == true
        {
            table[index].accuser = verdict.accuser
            table[index].told = 0
        }
        return false
    }

    /// A row of another node's table. What it holds for dead is only doubted here: the member may contradict, which is
    /// how two halves of a parted cluster come together again.
    mutating func take(
        _ row: MemberRow, _ header: MeshHeader, now: Moment, into effects: inout [MembershipEffect]
    ) -> Bool {
        let member = row.member
        if row.state == .alive {
            takeAlive(member, cluster: header.cluster, from: header.sender, now: now, into: &effects)
            return false
        }
        var state = row.state
        if member.id != me.id {
            guard isWellFormed(member), !removed.contains(member.id) else { return false }
            guard let index = table.index(of: member.id),
                member.incarnation.generation <= table[index].incarnation.generation
            else {
                add(member, state: row.state, header, now: now, into: &effects)
                return false
            }
            if member.incarnation > table[index].member.incarnation {
                table[index].member = member
                effects.append(.changed(table[index].row, before: table[index].state))
            }
            if state == .dead { state = .suspect }
        }
        // A table does not say who doubted first: it may start a suspicion, but confirms none.
        let verdict = Verdict(state: state, node: member.id, incarnation: member.incarnation, accuser: .none)
        return take(verdict, now: now, into: &effects)
    }

    /// Changes a state and says so.
    mutating func setState(
        _ state: MemberState, at index: Int, by accuser: NodeID, now: Moment, into effects: inout [MembershipEffect]
    ) {
        let before = table[index].state
        table[index].state = state
        table[index].accuser = accuser
        table[index].told = 0
        table[index].suspicion = nil
        if state == .suspect {
            table[index].suspicion = Suspicion(
                settings: settings, members: membersPresent, accuser: accuser, now: now.bootMilliseconds)
            if before != .suspect { counters.suspicions += 1 }
        }
        if state == .dead, before != .dead { counters.deaths += 1 }
        effects.append(.changed(table[index].row, before: before))
        if state != before { effects.append(.notice(.member(name: table[index].member.name, state))) }
        recount()
    }

    var membersPresent: Int { 1 + table.peers.count { $0.isPresent } }

    private func isMember(_ id: NodeID) -> Bool { id == me.id || table.index(of: id) != nil }

    /// Contradicts a verdict about this run of this node; verdicts about other runs say nothing about it.
    private mutating func refute(_ verdict: Verdict) -> Bool {
        guard verdict.incarnation.generation == me.incarnation.generation else {
            counters.wrongGenerations += 1
            return false
        }
        guard !isLeaving else { return false }
        guard verdict.incarnation.counter >= me.incarnation.counter else {
            // Already contradicted; whoever says it has not heard that.
            return true
        }
        counters.refutations += 1
        raiseCounter(above: verdict.incarnation.counter)
        changeHealth(by: 1)
        return true
    }

    private mutating func hearOfMyself(_ member: Member, now: Moment, into effects: inout [MembershipEffect]) {
        if member.incarnation.generation > me.incarnation.generation {
            counters.wrongGenerations += 1
            noteRefusal(.nameTaken, by: me.id, "a later run of this node is alive", now: now, into: &effects)
        } else if member.incarnation > me.incarnation {
            raiseCounter(above: member.incarnation.counter)
        }
    }
}
