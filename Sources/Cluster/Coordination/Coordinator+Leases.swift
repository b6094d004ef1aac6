import Wire

extension Coordinator {
    /// How often the clock of the same member is worth a line in the log, in milliseconds.
    private static let clockNoticeMilliseconds: Int64 = 60_000

    /// A node wants a lease.
    mutating func requested(
        _ request: UInt64, _ member: Member, _ state: ClusterState, lastIndex: UInt64, _ clockOffset: Int64?,
        _ now: Int64, into effects: inout [CoordinatorEffect]
    ) {
        guard let known = state.members[member.id] else {
            remember(stranger: member, now)
            return refuse(request, member.id, .notAdmitted, into: &effects)
        }
        guard !known.isRemoved else { return refuse(request, member.id, .removed, into: &effects) }
        guard isLatestRun(of: member, known) else { return }
        if let offset = clockOffset, abs(offset) > settings.clockOffMaxMilliseconds,
            settings.mutant != .clockRuleDropped
        {
            asks[member.id] = Ask(member: member, received: now, isClockOff: true)
            noticeClock(of: member, offset, now, into: &effects)
            return refuse(request, member.id, .clockOff, into: &effects)
        }
        asks[member.id] = Ask(member: member, received: now)
        guard member.incarnation.generation == known.generation || settings.mutant == .leaseNotBoundToGeneration else {
            nextReconcile = now
            return refuse(request, member.id, .notAdmitted, into: &effects)
        }
        leases[member.id] = Lease(
            generation: member.incarnation.generation, until: now + settings.grantMilliseconds)
        effects.append(
            .send(
                .lease(
                    request: request, term: term, milliseconds: UInt32(clamping: settings.leaseMilliseconds),
                    index: settings.mutant == .leaseBeforeState ? 0 : lastIndex),
                to: member.id))
    }

    /// Whether no later run of the node is known. A new run proves that the one before is over: its lease ends at once.
    private mutating func isLatestRun(of member: Member, _ known: AdmittedMember) -> Bool {
        guard settings.mutant != .leaseNotBoundToGeneration else { return true }
        let generation = member.incarnation.generation
        let latest = max(known.generation, asks[member.id]?.member.incarnation.generation ?? 0)
        guard generation >= latest else { return false }
        if let lease = leases[member.id], lease.generation < generation { leases[member.id] = nil }
        return true
    }

    private mutating func remember(stranger member: Member, _ now: Int64) {
        let isNew = asks[member.id] == nil
        guard !isNew || asks.count < ClusterState.membersMax + Self.strangersMax else { return }
        asks[member.id] = Ask(member: member, received: now)
        if isNew { nextReconcile = now }
    }

    private func refuse(
        _ request: UInt64, _ node: NodeID, _ reason: LeaseRefusal, into effects: inout [CoordinatorEffect]
    ) {
        effects.append(.send(.leaseRefused(request: request, term: term, reason), to: node))
    }

    private mutating func noticeClock(
        of member: Member, _ offset: Int64, _ now: Int64, into effects: inout [CoordinatorEffect]
    ) {
        if let last = clockNotices[member.id], now - last < Self.clockNoticeMilliseconds { return }
        clockNotices[member.id] = now
        effects.append(.notice(.clockOff(name: member.name, milliseconds: offset)))
    }
}
