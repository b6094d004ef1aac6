import Delivery
import LiveActivity
import Wire

/// Settle: what lanes report becomes the outcome of events.
extension OwnerCore {
    mutating func settle(_ report: LaneReport, now: Moment, into effects: inout [CoreEffect]) {
        counters.reports += 1
        let slot = Int(report.ticket & 0xffff_ffff)
        guard slot < slots.count, slots[slot].isUsed, slots[slot].firstTicket <= report.ticket,
            report.ticket <= slots[slot].ticket
        else {
            counters.reportsUnmatched += 1
            return
        }
        // Before a dead token is forgotten: its report may not count for the event.
        let isCatchUp = settleCatchUp(report, slot, now: now, into: &effects)
        noteDeath(report, slot, now: now, into: &effects)
        if isCatchUp || report.destination.kind == .ordinaryToken { return }
        if report.destination.kind == .startToken { noteStart(report, slot, now: now, into: &effects) }
        guard let active = slots[slot].active.index(of: report.sequence) else {
            return settleUnfollowed(report, slot, now: now, into: &effects)
        }
        switch report.outcome {
        case .stale, .overloaded:
            sendAgain(report, slot, active, now: now, into: &effects)
        case .deferred:
            noteDeferred(slot, active, into: &effects)
        default:
            count(report, slot, active, into: &effects)
            concludeIfAnswered(slot, active, into: &effects)
        }
    }

    private mutating func count(
        _ report: LaneReport, _ slot: Int, _ active: Int, into effects: inout [CoreEffect]
    ) {
        switch report.outcome {
        case .accepted: slots[slot].active[active].tally.accepted += 1
        case .superseded: slots[slot].active[active].tally.superseded += 1
        case .expired: slots[slot].active[active].tally.expired += 1
        case .unknown: slots[slot].active[active].tally.unknown += 1
        case .failed(let status, let reason):
            slots[slot].active[active].tally.failed += 1
            if slots[slot].active[active].refusal.isEmpty {
                effects.append(.notice(.refused(app: report.destination.app, status: status, reason: reason)))
            }
            slots[slot].active[active].refusal = reason
        case .gone(_, let reason, _):
            slots[slot].active[active].tally.gone += 1
            if slots[slot].active[active].refusal.isEmpty { slots[slot].active[active].refusal = reason }
        case .stale, .overloaded, .deferred: break
        }
        switch report.outcome {
        case .accepted, .unknown, .failed, .expired: caughtUp(report.destination)
        case .superseded, .gone, .stale, .overloaded, .deferred: break
        }
    }

    /// The event goes again to this destination, with a fresh stamp if need be, unless a newer one is on its way
    /// there.
    private mutating func sendAgain(
        _ report: LaneReport, _ slot: Int, _ active: Int, now: Moment, into effects: inout [CoreEffect]
    ) {
        let event = slots[slot].active[active]
        let isStale = report.outcome == .stale
        if let record = slots[slot].record, record.version.sequence == event.sequence {
            let target = target(report, slot, handedAt: slots[slot].handedAtMilliseconds)
            catchUps[slot, default: CatchUp()].newest.append(target)
            if isStale { catchUps[slot]!.staleNewest = report.sequence }
        } else if let place = importants[slot], place.record.version.sequence == event.sequence {
            let target = target(report, slot, handedAt: place.handedAtMilliseconds)
            catchUps[slot, default: CatchUp()].important.append(target)
            if isStale { catchUps[slot]!.staleImportant = report.sequence }
        } else {
            slots[slot].active[active].tally.superseded += 1
            return concludeIfAnswered(slot, active, into: &effects)
        }
        ask(slot, now: now)
    }

    /// It may ring only where the alert has certainly not been heard and was meant for when it was first handed.
    private func target(_ report: LaneReport, _ slot: Int, handedAt: Int64) -> CatchUp.Target {
        let registeredAt = tokens[report.destination]?.registeredAtMilliseconds ?? .min
        return CatchUp.Target(
            destination: report.destination, isQuiet: report.mayHaveArrived || registeredAt > handedAt,
            isCounted: true)
    }

    private mutating func noteDeferred(_ slot: Int, _ active: Int, into effects: inout [CoreEffect]) {
        guard !slots[slot].active[active].isDeferred else { return }
        slots[slot].active[active].isDeferred = true
        guard slots[slot].active[active].wantsReceipts else { return }
        effects.append(.receipt(receipt(slot, slots[slot].active[active], .deferred)))
    }

    // MARK: Outcomes

    mutating func concludeIfAnswered(_ slot: Int, _ active: Int, into effects: inout [CoreEffect]) {
        let tally = slots[slot].active[active].tally
        guard tally.offered > 0, tally.outstanding == 0 else { return }
        conclude(slot, active, Self.outcome(of: slots[slot].active[active]), afterWrites: false, into: &effects)
    }

    /// One outcome for many destinations: accepted if APNs took it for any; else unknown if it may have; else
    /// superseded or expired if that kept it from being sent; else failed, with the first reason.
    static func outcome(of event: ActiveEvent) -> EventOutcome {
        let tally = event.tally
        if tally.accepted > 0 { return .apnsAccepted }
        if tally.unknown > 0 { return .unknown }
        if tally.superseded > 0 { return .superseded }
        if tally.expired > 0 { return .expired }
        return .failed(reason: event.refusal)
    }

    /// The event is settled. `afterWrites` holds the receipt back until what settled it is durable.
    mutating func conclude(
        _ slot: Int, _ active: Int, _ outcome: EventOutcome, afterWrites: Bool, into effects: inout [CoreEffect]
    ) {
        let event = slots[slot].active.remove(at: active)
        slots[slot].recent.settle(event.sequence, outcome)
        touchSettlement(slot)
        if event.wantsReceipts {
            let receipt = CoreEffect.receipt(receipt(slot, event, outcome))
            if afterWrites {
                self.afterWrites(slots[slot].shard, receipt, into: &effects)
            } else {
                effects.append(receipt)
            }
        }
        if settings.traces { effects.append(.stage(eventID: event.eventID, .settled(outcome))) }
        if !importants.isEmpty, let held = importants[slot]?.record, held.version.sequence == event.sequence,
            !isAwaited(held, slot)
        {
            clearImportant(slot)
        }
        // A superseded event brought the devices nothing: they go on lacking what they lacked.
        guard outcome != .superseded, slots[slot].unsentSinceMilliseconds != nil,
            let newest = slots[slot].record?.version.sequence
        else { return }
        slots[slot].unsentSinceMilliseconds = nil
        // While the newest waits behind an older one that has now arrived, what is lacking is the newest.
        if newest != event.sequence, slots[slot].recent.isPending(newest) {
            noteUnsent(slot, since: slots[slot].record!.acceptedAtMilliseconds)
        }
    }

    private func receipt(_ slot: Int, _ event: ActiveEvent, _ outcome: EventOutcome) -> Receipt {
        let key = slots[slot].key
        return Receipt(
            producer: event.producer, origin: event.origin,
            key: event.instance == 1 ? key : key.with(instance: event.instance), eventID: event.eventID,
            outcome: outcome, tally: event.tally)
    }

    // MARK: Tokens that catch up

    /// A report on what a token was sent because it registered. False when it counts for the event.
    private mutating func settleCatchUp(
        _ report: LaneReport, _ slot: Int, now: Moment, into effects: inout [CoreEffect]
    ) -> Bool {
        guard !newcomers.isEmpty, report.destination.kind == .token else { return false }
        let newcomer = Newcomer(destination: report.destination, slot: slot, sequence: report.sequence)
        guard newcomers.contains(newcomer) else { return false }
        switch report.outcome {
        case .deferred: return true
        case .stale, .overloaded: again(report.destination, slot, stale: report.outcome == .stale, now: now)
        case .accepted, .unknown, .failed, .expired, .gone:
            caughtUp(report.destination)
            settleLonely(slot, report, into: &effects)
        case .superseded: break
        }
        newcomers.remove(newcomer)
        return true
    }

    private mutating func again(_ destination: Destination, _ slot: Int, stale: Bool, now: Moment) {
        if destination.kind == .token, let end = importants[slot]?.record, tokens[destination]?.slot == slot,
            tokens[destination]?.instance == end.instance, isForeignEnd(end, slot)
        {
            offerEndAgain(to: destination, slot, stale: stale ? end.version.sequence : nil)
            return ask(slot, now: now)
        }
        // A newer record that has not left yet will go to this token as well.
        guard let record = slots[slot].record, slots[slot].isHanded, record.event != .start else { return }
        if destination.kind == .channel {
            guard slots[slot].channel == destination else { return }
        } else {
            guard tokens[destination]?.slot == slot, tokens[destination]?.instance == record.instance else { return }
        }
        let target = CatchUp.Target(destination: destination, isQuiet: true, isCounted: false)
        catchUps[slot, default: CatchUp()].newest.append(target)
        if stale { catchUps[slot]!.staleNewest = record.version.sequence }
        ask(slot, now: now)
    }

    /// The first token of an activity that nobody followed when the event was released settles it.
    private mutating func settleLonely(_ slot: Int, _ report: LaneReport, into effects: inout [CoreEffect]) {
        // After a restart all others may still wait for it.
        let othersWait = catchUps[slot].map { $0.wholeNewest || $0.wholeImportant } ?? false
        guard report.outcome == .accepted, !othersWait, let active = slots[slot].active.index(of: report.sequence),
            slots[slot].active[active].tally.offered == 0
        else { return }
        slots[slot].active[active].tally.offered = 1
        slots[slot].active[active].tally.accepted = 1
        conclude(slot, active, .apnsAccepted, afterWrites: false, into: &effects)
    }

    /// Reports on events that are settled or no longer followed still say something about their destination.
    private mutating func settleUnfollowed(
        _ report: LaneReport, _ slot: Int, now: Moment, into effects: inout [CoreEffect]
    ) {
        counters.reportsUnmatched += 1
        switch report.outcome {
        case .accepted, .unknown: caughtUp(report.destination)
        case .stale, .overloaded:
            // Of an instance that has been followed: its end was sent to all again when it was the newest.
            let owesEnd =
                tokens[report.destination].map { $0.isBehind && $0.instance != slots[slot].instance } ?? false
            guard owesEnd || slots[slot].destinations(of: slots[slot].record).contains(report.destination)
            else { return }
            // A re-assertion to a channel that its lane found too old; for tokens any version will do.
            guard report.destination.kind != .channel || slots[slot].record?.version.sequence == report.sequence else {
                return
            }
            again(report.destination, slot, stale: owesEnd && report.outcome == .stale, now: now)
        case .superseded, .expired, .failed, .gone, .deferred: break
        }
    }

    private mutating func caughtUp(_ destination: Destination) {
        guard let token = tokens[destination], token.isBehind else { return }
        tokens[destination]!.isBehind = false
        write(token.slot, .behind, tokenKey(destination), nil)
        clearServedEnd(token.slot)
    }

    /// Takes a dead destination out, unless its token was registered after APNs' time: then it lives again.
    private mutating func noteDeath(
        _ report: LaneReport, _ slot: Int, now: Moment, into effects: inout [CoreEffect]
    ) {
        guard case .gone(let status, let reason, let since) = report.outcome else { return }
        guard report.destination.kind != .channel else {
            guard slots[slot].channel == report.destination else { return }
            return effects.append(.channelLost(slots[slot].key))
        }
        let registeredAt =
            report.destination.kind == .token
            ? tokens[report.destination]?.registeredAtMilliseconds
            : deviceTable.token(report.destination)?.registeredAtMilliseconds
        guard let registeredAt, since.map({ registeredAt <= $0 }) ?? true else { return }
        if let fault = TokenFault(status: status, reason: reason) {
            return quarantine(report.destination, fault, reason, into: &effects)
        }
        counters.tokensGone += 1
        if reason == "ExpiredToken" { counters.tokensExpired += 1 }
        if reason == "Unregistered" { counters.tokensUnregistered += 1 }
        if report.destination.kind == .token {
            removeToken(report.destination, into: &effects)
        } else {
            refused(report.destination, nil, into: &effects)
        }
        effects.append(.notice(.tokenGone(app: report.destination.app, status: status, reason: reason)))
    }
}

extension KeySlot {
    mutating func destinations(of record: Record?) -> [Destination] {
        guard let record else { return [] }
        return destinations(of: record)
    }
}

extension RecentEvents {
    /// Whether the event of this version is known and not settled.
    func isPending(_ sequence: UInt64) -> Bool {
        guard let outcome = outcome(ofSequence: sequence) else { return false }
        return !outcome.isFinal
    }
}
