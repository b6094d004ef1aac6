import Delivery
import LiveActivity
import Wire

/// Admit: what leaves when a key's turn has come.
extension OwnerCore {
    /// Tells Admit what the name has to send; nothing if it has nothing.
    mutating func ask(_ slot: Int, now: Moment) {
        // Called for every event: reads single fields and copies no record.
        guard slots[slot].isUsed else { return }
        let importantWaits = !importants.isEmpty && importants[slot]?.isHanded == false
        let catchUp = catchUps.isEmpty ? nil : catchUps[slot]
        let newestWaits = !slots[slot].isHanded && slots[slot].record != nil
        guard importantWaits || newestWaits || catchUp != nil else {
            if slots[slot].asked != .nothing {
                slots[slot].asked = .nothing
                admission.withdraw(ticket: slots[slot].firstTicket)
            }
            return
        }
        let urgent = importantWaits || newestWaits && newestKeepsPlace(slot)
        let onlyNewest = newestWaits && !importantWaits && catchUp == nil
        let notBefore = onlyNewest ? slots[slot].record?.notBeforeMilliseconds : nil
        let cost = newestWaits || importantWaits ? cost(slot) : max(1, (catchUp?.newest.count ?? 0))
        let asked = KeySlot.Asked.release(urgent: urgent, notBefore: notBefore, cost: cost)
        guard asked != slots[slot].asked else { return }
        slots[slot].asked = asked
        admission.request(
            ticket: slots[slot].firstTicket, account: slots[slot].account, cost: cost, urgent: urgent,
            notBeforeMilliseconds: notBefore, now: now)
    }

    private func newestKeepsPlace(_ slot: Int) -> Bool {
        slots[slot].record!.important || slots[slot].record!.event == .end
    }

    /// How many requests a release means.
    private func cost(_ slot: Int) -> Int {
        guard slots[slot].account.scope == .activity, let event = slots[slot].record?.event else { return 1 }
        // Devices are counted when it is their turn: a user has few.
        guard event != .start else { return 1 }
        for index in slots[slot].groups.indices where slots[slot].groups[index].instance == slots[slot].instance {
            return max(1, slots[slot].groups[index].destinations.count)
        }
        return 1
    }

    /// The key's turn: the important record first, then the newest, then destinations that have to catch up.
    mutating func release(_ slot: Int, now: Moment, into effects: inout [CoreEffect]) {
        guard slots[slot].isUsed else { return }
        slots[slot].asked = .nothing
        guard !shards[Int(slots[slot].shard)].isPaused else { return }
        counters.released += 1
        dropExpired(slot, now: now, into: &effects)
        if let place = importants[slot], !place.isHanded {
            releaseImportant(slot, place, now: now, into: &effects)
        } else {
            // One record per turn, so that a key sends at most once per interval.
            let sent =
                catchUps[slot]?.wantsImportant == true && catchUpImportant(slot, now: now, into: &effects)
            if !sent, slots[slot].isHanded {
                catchUpNewest(slot, now: now, into: &effects)
            } else if !sent, isTime(slot, now) {
                releaseNewest(slot, now: now, into: &effects)
            }
        }
        ask(slot, now: now)
    }

    private func isTime(_ slot: Int, _ now: Moment) -> Bool {
        (slots[slot].record?.notBeforeMilliseconds ?? .min) <= now.wallMilliseconds
    }

    private mutating func dropExpired(_ slot: Int, now: Moment, into effects: inout [CoreEffect]) {
        if let place = importants[slot], !place.isHanded, place.record.isExpired(atMilliseconds: now.wallMilliseconds) {
            clearImportant(slot)
            if let active = slots[slot].active.index(of: place.record.version.sequence) {
                conclude(slot, active, .expired, afterWrites: false, into: &effects)
            }
        }
        if let record = slots[slot].record, record.isExpired(atMilliseconds: now.wallMilliseconds) {
            catchUps[slot]?.newest = []
            catchUps[slot]?.wholeNewest = false
            if catchUps[slot]?.isEmpty == true { catchUps[slot] = nil }
            let wasHanded = slots[slot].isHanded
            slots[slot].isHanded = true
            if let active = slots[slot].active.index(of: record.version.sequence),
                !wasHanded || slots[slot].active[active].tally.offered == 0
            {
                conclude(slot, active, .expired, afterWrites: false, into: &effects)
            }
        }
    }

    // MARK: First sends

    private mutating func releaseImportant(
        _ slot: Int, _ place: ImportantPlace, now: Moment, into effects: inout [CoreEffect]
    ) {
        if isStale(place.record, 0, now) { restampImportant(slot, now: now) }
        importants[slot]!.isHanded = true
        importants[slot]!.handedAtMilliseconds = now.wallMilliseconds
        let current = importants[slot]!
        let isFollowed = offerToAll(
            slot, current.record, current.ticket, current.batch, now: now, into: &effects)
        // While nobody follows nothing will report on it.
        if !isFollowed,
            let active = slots[slot].active.index(of: current.record.version.sequence)
        {
            conclude(slot, active, .superseded, afterWrites: true, into: &effects)
        }
    }

    private mutating func releaseNewest(_ slot: Int, now: Moment, into effects: inout [CoreEffect]) {
        guard let record = slots[slot].record else { return }
        if isStale(record, 0, now), isFollowed(slot, record) { restampNewest(slot, now: now) }
        slots[slot].isHanded = true
        slots[slot].outBorn = max(slots[slot].outBorn, record.born)
        slots[slot].handedAtMilliseconds = now.wallMilliseconds
        // Everyone gets it now, those who had to catch up among them.
        catchUps[slot] = nil
        guard let current = slots[slot].record else { return }
        let isFollowed = offerToAll(slot, current, slots[slot].ticket, slots[slot].batch, now: now, into: &effects)
        if !isFollowed { slots[slot].unsentSinceMilliseconds = nil }
    }

    /// Returns whether there was anyone to offer it to.
    private mutating func offerToAll(
        _ slot: Int, _ record: Record, _ ticket: UInt64, _ batch: UInt64, now: Moment,
        into effects: inout [CoreEffect]
    ) -> Bool {
        let destinations =
            record.event == .start
            ? startDestinations(slot, record, ticket, now: now, into: &effects)
            : slots[slot].destinations(of: record)
        if let active = slots[slot].active.index(of: record.version.sequence) {
            slots[slot].active[active].tally.offered += UInt32(destinations.count)
        }
        let besideNewest = record.version.sequence != slots[slot].record?.version.sequence
        offer(
            slot, record, ticket, batch, destinations, isQuiet: false, needsIntent: besideNewest, into: &effects)
        return !destinations.isEmpty
    }

    /// Hands a version over once it, and the intent of its alert, are durable. A record beside a newer one has an
    /// intent in any case: without one on disk a restart knows that neither has left, and may send both in their
    /// order.
    private mutating func offer(
        _ slot: Int, _ record: Record, _ ticket: UInt64, _ batch: UInt64, _ destinations: [Destination],
        isQuiet: Bool, needsIntent: Bool = false, into effects: inout [CoreEffect]
    ) {
        guard !destinations.isEmpty else { return }
        var batch = batch
        let rings = record.event == .start || record.layout.hasAlert && !record.quiet && !isQuiet
        if rings || needsIntent, slots[slot].intended < record.born {
            slots[slot].intended = record.born
            writeNamed(slot, .intent, SmallRows.encodeIntent(born: record.born))
            batch = openBatch
        }
        // On a slow disk an earlier record of this name may still wait for its intent: this one must not pass it.
        batch = max(batch, slots[slot].offeredBatch)
        slots[slot].offeredBatch = batch
        counters.offered += UInt64(destinations.count)
        let item = PushItem(
            ticket: ticket, sequence: record.version.sequence, stampSeconds: record.stampSeconds,
            event: record.event, important: record.keepsPlace, quiet: record.quiet || isQuiet,
            priority: record.priority, expirationSeconds: expiration(of: record, slot),
            expiresAtMilliseconds: record.expiresAtMilliseconds, payload: record.payload, layout: record.layout)
        if settings.traces { effects.append(.stage(eventID: record.eventID, .admitted)) }
        after(slots[slot].shard, batch, .offer(item, destinations), into: &effects)
    }

    /// `apns-expiration`: 0 on a channel that stores nothing, because APNs refuses anything else there (Docs/APNs.md
    /// 3.2).
    func expiration(of record: Record, _ slot: Int) -> Int64 {
        if slots[slot].account.scope == .channelUnstored { return 0 }
        if let expiry = record.expiresAtMilliseconds { return max(1, (expiry + 999) / 1000) }
        return record.stampSeconds + settings.storedSeconds
    }

    // MARK: Fresh stamps (rule S2)

    /// `stale` is the version that a lane found too old, 0 when there is none.
    private func isStale(_ record: Record, _ stale: UInt64, _ now: Moment) -> Bool {
        guard settings.mutant != .staleStampSent else { return false }
        return stale == record.version.sequence || Stamp.isStale(record.stampSeconds, clockSeconds: now.wallSeconds)
    }

    /// Whether anybody is to get the record. A stamp that nobody sees may be old: whoever follows later gets a fresh
    /// one. Else a take-over would write every record anew that nobody follows.
    private mutating func isFollowed(_ slot: Int, _ record: Record) -> Bool {
        record.event == .start || !slots[slot].destinations(of: record).isEmpty
    }

    /// Rule S1.
    func nextStamp(_ slot: Int, unhanded: Int64?, now: Moment) -> Int64 {
        if settings.mutant == .stampFromClockOnly { return now.wallSeconds }
        return Stamp.next(clockSeconds: now.wallSeconds, last: slots[slot].lastStamp, unhanded: unhanded)
    }

    private func lastVersion(_ slot: Int) -> Version {
        Version(epoch: shards[Int(slots[slot].shard)].epoch, sequence: slots[slot].lastSequence)
    }

    private mutating func restampNewest(_ slot: Int, now: Moment) {
        guard let record = slots[slot].record else { return }
        let unhanded = slots[slot].isHanded ? nil : record.stampSeconds
        let stamp = nextStamp(slot, unhanded: unhanded, now: now)
        renumber(slot, record.version.sequence)
        slots[slot].lastStamp = stamp
        slots[slot].record!.version = lastVersion(slot)
        slots[slot].record!.stampSeconds = stamp
        touchRecord(slot)
    }

    /// The end of an earlier instance goes to tokens of its own: the newest and it do not meet.
    private func isApart(_ slot: Int) -> Bool {
        slots[slot].key.kind == .activity && importants[slot]?.record.instance != slots[slot].record?.instance
    }

    /// The newest must stay newer than the important one, so it gets a new version as well.
    private mutating func restampImportant(_ slot: Int, now: Moment) {
        guard let place = importants[slot] else { return }
        let isFree = slots[slot].isHanded || isApart(slot)
        let unhanded = isFree ? nil : slots[slot].record?.stampSeconds
        let stamp = nextStamp(slot, unhanded: unhanded, now: now)
        renumber(slot, place.record.version.sequence)
        importants[slot]!.record.version = lastVersion(slot)
        importants[slot]!.record.stampSeconds = stamp
        importants[slot]!.batch = openBatch
        writeImportant(slot)
        slots[slot].lastStamp = stamp
        guard let newest = slots[slot].record, !isApart(slot) else { return }
        renumber(slot, newest.version.sequence)
        slots[slot].lastStamp = stamp + 1
        slots[slot].record!.version = lastVersion(slot)
        slots[slot].record!.stampSeconds = stamp + 1
        touchRecord(slot)
    }

    private mutating func renumber(_ slot: Int, _ old: UInt64) {
        counters.restamped += 1
        slots[slot].lastSequence += 1
        let new = slots[slot].lastSequence
        slots[slot].recent.renumber(old, to: new)
        guard let active = slots[slot].active.index(of: old) else { return }
        slots[slot].active[active].older.append(old)
        if slots[slot].active[active].older.count > 64 { slots[slot].active[active].older.removeFirst() }
        slots[slot].active[active].sequence = new
    }

    // MARK: Catching up

    private mutating func catchUpNewest(_ slot: Int, now: Moment, into effects: inout [CoreEffect]) {
        guard let catchUp = catchUps[slot], let record = slots[slot].record else { return }
        catchUps[slot] = nil
        // A newly made version waits for nobody: it is fresh already when the important one was stamped anew just
        // before.
        let isStale = isStale(record, catchUp.staleNewest, now)
        if isStale, !catchUp.wholeNewest || isFollowed(slot, record) { restampNewest(slot, now: now) }
        guard let current = slots[slot].record else { return }
        slots[slot].handedAtMilliseconds = min(slots[slot].handedAtMilliseconds, now.wallMilliseconds)
        if catchUp.wholeNewest {
            slots[slot].handedAtMilliseconds = now.wallMilliseconds
            let isFollowed = offerToAll(
                slot, current, slots[slot].ticket, slots[slot].batch, now: now, into: &effects)
            if !isFollowed { slots[slot].unsentSinceMilliseconds = nil }
            return
        }
        offerTo(catchUp.newest, slot, current, slots[slot].ticket, slots[slot].batch, into: &effects)
    }

    private mutating func offerTo(
        _ targets: [CatchUp.Target], _ slot: Int, _ record: Record, _ ticket: UInt64, _ batch: UInt64,
        into effects: inout [CoreEffect]
    ) {
        for target in targets where !target.isCounted && newcomers.count < settings.tokensMax {
            newcomers.insert(
                Newcomer(destination: target.destination, slot: slot, sequence: record.version.sequence))
        }
        for isQuiet in [false, true] {
            let group = targets.filter { $0.isQuiet == isQuiet }.map(\.destination)
            offer(slot, record, ticket, batch, group, isQuiet: isQuiet, into: &effects)
        }
    }

    /// The important record goes again to destinations that could not send it. Where the newer one may have been sent
    /// meanwhile, it stays away: the device would go back. Returns whether anything was sent.
    private mutating func catchUpImportant(
        _ slot: Int, now: Moment, into effects: inout [CoreEffect]
    ) -> Bool {
        guard var catchUp = catchUps[slot] else { return false }
        let targets = catchUp.important
        let whole = catchUp.wholeImportant
        let staleSequence = catchUp.staleImportant
        catchUp.important = []
        catchUp.wholeImportant = false
        catchUps[slot] = catchUp.isEmpty ? nil : catchUp
        guard let place = importants[slot] else { return false }
        let isStale = isStale(place.record, staleSequence, now)
        // The newest of now may not have left yet, and one between it and the important one may have all the same. A
        // start goes to tokens of its own: it does not take a device back.
        let newestIsOut =
            slots[slot].outBorn > place.record.born && !catchUp.wholeNewest && !isApart(slot)
            && place.record.event != .start
        let waiting = Set(catchUp.newest.map(\.destination))
        let chosen = newestIsOut ? targets.filter { waiting.contains($0.destination) } : targets
        leaveOut(
            targets.count { $0.isCounted } - chosen.count { $0.isCounted }, slot, place.record.version.sequence,
            into: &effects)
        guard whole || !chosen.isEmpty else { return false }
        if isStale { restampImportant(slot, now: now) }
        guard let current = importants[slot] else { return false }
        if whole {
            importants[slot]!.isHanded = false
            releaseImportant(slot, importants[slot]!, now: now, into: &effects)
        } else {
            offerTo(chosen, slot, current.record, current.ticket, current.batch, into: &effects)
        }
        return true
    }

    private mutating func leaveOut(_ count: Int, _ slot: Int, _ sequence: UInt64, into effects: inout [CoreEffect]) {
        guard count > 0, let active = slots[slot].active.index(of: sequence) else { return }
        slots[slot].active[active].tally.superseded += UInt32(count)
        concludeIfAnswered(slot, active, into: &effects)
    }
}
