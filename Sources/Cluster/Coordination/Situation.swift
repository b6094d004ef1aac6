import Wire

/// What is true of the members at one moment, as far as decisions need it.
struct Situation {
    /// What a member can do.
    struct Ability: OptionSet, Hashable {
        let rawValue: UInt8
        /// It answers, or holds a lease.
        static let alive = Ability(rawValue: 1)
        /// It holds a lease, or will with its next request.
        static let mayAct = Ability(rawValue: 2)
        /// It gives up what it owns: it drains, or it is cut off from APNs and others are not.
        static let draining = Ability(rawValue: 4)
        /// It may hold copies.
        static let takesShards = Ability(rawValue: 8)
        /// Its last lease is over for certain, and no new one is on its way.
        static let lapsed = Ability(rawValue: 16)
        /// It was not removed.
        static let present = Ability(rawValue: 32)
        /// It leaves for good.
        static let leaves = Ability(rawValue: 64)
        /// It says that it does not reach APNs.
        static let cutOff = Ability(rawValue: 128)
        /// Its copies count.
        static let living: Ability = [.alive, .present]
    }

    let now: Int64
    let state: ClusterState
    /// By number.
    let present: [AdmittedMember]
    let abilities: [NodeID: Ability]
    /// Every lease of an earlier coordinator is over.
    let isPastWait: Bool

    func has(_ node: NodeID, _ ability: Ability) -> Bool { abilities[node]?.contains(ability) ?? false }

    func isAlive(_ node: NodeID) -> Bool { has(node, .alive) }

    /// Whether a lease of the node may still run, or it was heard again: nodes that were forgotten have none.
    func hasLapsed(_ node: NodeID) -> Bool {
        abilities[node].map { $0.contains(.lapsed) } ?? isPastWait
    }
}

extension Coordinator {
    /// Puts together what is true now.
    func situation(_ state: ClusterState, _ view: [MemberRow], _ now: Int64) -> Situation {
        let isPastWait =
            settings.mutant == .noLeaseWaitAfterElection
            || now >= begun + settings.grantMilliseconds + settings.electionMarginMilliseconds
        let seen = Dictionary(view.map { ($0.member.id, $0.state) }) { first, _ in first }
        var abilities: [NodeID: Situation.Ability] = [:]
        for (node, member) in state.members {
            abilities[node] = ability(of: member, seen[node], isPastWait, now)
        }
        relieveCutOff(&abilities, now)
        return Situation(
            now: now, state: state, present: state.present, abilities: abilities, isPastWait: isPastWait)
    }

    private func ability(
        of member: AdmittedMember, _ seen: MemberState?, _ isPastWait: Bool, _ now: Int64
    ) -> Situation.Ability {
        let node = member.member.id
        var ability: Situation.Ability = []
        let holdsLease = leases[node].map { $0.until > now } ?? false
        let asks = isAsking(node, now)
        let answers = node == me || seen == .alive || seen == .suspect
        if answers || holdsLease { ability.insert(.alive) }
        if !member.isRemoved {
            ability.insert(.present)
            if holdsLease && isOfRun(leases[node]?.generation, member) || asks && isOfRun(run(of: node), member) {
                ability.insert(.mayAct)
            }
            if member.member.isDraining { ability.insert(.draining) }
            if member.member.isCutOff { ability.insert(.cutOff) }
            if member.takesShards { ability.insert(.takesShards) }
            if member.leaves { ability.insert(.leaves) }
        }
        let isOver = isPastWait && !holdsLease
        if isOver && !(asks && !member.isRemoved) { ability.insert(.lapsed) }
        if settings.mutant == .reassignWithoutLeaseEnd, !answers || seen == .suspect {
            ability.insert(.lapsed)
            ability.remove(.mayAct)
        }
        return ability
    }

    /// Members that are cut off from APNs for a while give up what they own, if anybody is there who is not.
    private func relieveCutOff(_ abilities: inout [NodeID: Situation.Ability], _ now: Int64) {
        guard !cutOff.isEmpty else { return }
        let hasHeir = abilities.contains { node, ability in
            ability.contains([.mayAct, .takesShards]) && ability.isDisjoint(with: [.draining, .cutOff])
                && watch.isSettled(node, now: now)
        }
        guard hasHeir else { return }
        for (node, since) in cutOff where now - since >= settings.cutOffGraceMilliseconds {
            abilities[node]?.insert(.draining)
        }
    }

    /// Whether the node asked within the last lease and nothing but a new generation is in its way.
    private func isAsking(_ node: NodeID, _ now: Int64) -> Bool {
        asks[node].map { now - $0.received < settings.leaseMilliseconds && !$0.isClockOff } ?? false
    }

    private func run(of node: NodeID) -> UInt64? { asks[node]?.member.incarnation.generation }

    private func isOfRun(_ generation: UInt64?, _ member: AdmittedMember) -> Bool {
        generation == member.generation || settings.mutant == .leaseNotBoundToGeneration
    }
}
