import Codes
import Delivery
import LiveActivity
import Wire

/// Replicate: an event becomes the newest record of its name.
extension OwnerCore {
    mutating func publish(_ event: PublishInput, now: Moment, into effects: inout [CoreEffect]) {
        let key = event.key.base
        let slot = index[key]
        if let slot, let known = repeated(event, slot) {
            counters.repeated += 1
            guard !storeIsFailing else { return refuseNotStored(event.origin, into: &effects) }
            return answerAfterWrites(slots[slot].shard, event.origin, .acknowledged(known), into: &effects)
        }
        switch check(event, key, slot, now: now) {
        case .failure(let fault): refuse(event.origin, fault.code, fault.detail, at: fault.place, into: &effects)
        case .success(let instance):
            guard let slot = slot ?? makeSlot(key, app: event.app) else {
                return refuse(event.origin, .overloaded, Self.full, into: &effects)
            }
            let answer = accept(event, slot, instance: instance, now: now, into: &effects)
            answerAfterWrites(slots[slot].shard, event.origin, .acknowledged(answer), into: &effects)
        }
    }

    /// One event for two names: both are asked before either takes it, and one answer waits for both.
    mutating func publish(
        _ channel: PublishInput, and activity: PublishInput, now: Moment, into effects: inout [CoreEffect]
    ) {
        var answers: [Acknowledgement] = []
        var halves: [(event: PublishInput, slot: Int?, instance: UInt32)] = []
        for event in [channel, activity] {
            let key = event.key.base
            let slot = index[key]
            if let slot, let known = repeated(event, slot) {
                answers.append(known)
                continue
            }
            switch check(event, key, slot, now: now) {
            case .failure(let fault):
                let place = fault.place.isEmpty ? key.kind.name : fault.place
                return refuse(channel.origin, fault.code, fault.detail, at: place, into: &effects)
            case .success(let instance): halves.append((event, slot, instance))
            }
        }
        guard !storeIsFailing else { return refuseNotStored(channel.origin, into: &effects) }
        guard index.count + halves.count(where: { $0.slot == nil }) <= settings.keysMax else {
            return refuse(channel.origin, .overloaded, Self.full, into: &effects)
        }
        counters.repeated += UInt64(answers.count)
        for half in halves {
            guard let slot = half.slot ?? makeSlot(half.event.key.base, app: half.event.app) else { continue }
            let answer = accept(half.event, slot, instance: half.instance, now: now, into: &effects)
            if half.event.key.kind == .channel { answers.insert(answer, at: 0) } else { answers.append(answer) }
        }
        guard answers.count == 2, let first = index[channel.key.base], let second = index[activity.key.base] else {
            return
        }
        let reply = Reply.acknowledgedBoth(channel: answers[0], activity: answers[1])
        afterWrites(
            slots[first].shard, and: slots[second].shard, .reply(origin: channel.origin, reply), into: &effects)
    }

    private static let full = "the node holds as many names as it may"

    /// Why an event is refused, or which instance takes it.
    private func check(
        _ event: PublishInput, _ key: Key, _ slot: Int?, now: Moment
    ) -> Result<UInt32, Fault> {
        guard (1...RecordCodec.nameBytesMax).contains(event.eventID.count),
            event.producer.count <= RecordCodec.nameBytesMax, event.payload.count <= RecordCodec.payloadBytesMax
        else { return .failure(Fault(.badField, "event ID, producer or payload is too long")) }
        guard !storeIsFailing else { return .failure(Fault(.notStored, "the disk does not take writes")) }
        let shard = slot.map { slots[$0].shard } ?? shard(of: key)
        guard owns(shard) else { return .failure(Fault(.shardMoves)) }
        guard gate.count < settings.pendingRepliesMax, gate.count(of: shard) < settings.pendingRepliesPerShardMax else {
            return .failure(Fault(.overloaded, "too many answers wait for the disk"))
        }
        guard Int(event.app) < settings.apps.count else { return .failure(Fault(.unknownApp)) }
        if key.kind == .channel, channels[key]?.state != .live { return .failure(Fault(.unknownChannel)) }
        if let expiry = event.expiresAtMilliseconds, expiry <= now.wallMilliseconds {
            return .failure(Fault(.badField, "has passed already", at: "expires_at"))
        }
        if let audience = event.audience, !audience.isShort {
            return .failure(Fault(.badField, "has more than \(DeviceName.bytesMax) bytes", at: "attributes-type"))
        }
        return instance(for: event, slot, now: now)
    }

    /// Promise 8: a repeated event ID gets the same answer and nothing is sent again.
    private func repeated(_ event: PublishInput, _ slot: Int) -> Acknowledgement? {
        guard let known = slots[slot].recent.find(id: event.eventID), settings.mutant != .repeatsForgotten else {
            return nil
        }
        let place = shards[Int(slots[slot].shard)]
        return Acknowledgement(
            eventID: event.eventID, version: Version(epoch: place.epoch, sequence: known.sequence),
            instance: known.instance, copies: place.copies, isRepeated: true, outcome: known.outcome)
    }

    /// Which instance an event is for, or why it is refused: the end is final, only a start or an explicit next
    /// instance goes on.
    private func instance(for event: PublishInput, _ slot: Int?, now: Moment) -> Result<UInt32, Fault> {
        if let asked = event.instance, asked == 0 {
            return .failure(Fault(.badField, "counts from 1", at: "instance"))
        }
        guard let slot, let newest = slots[slot].record?.instance else {
            let registered = slot.flatMap { slots[$0].instance } ?? 1
            return .success(event.instance ?? registered)
        }
        let ended = slots[slot].record!.event == .end
        if ended, settings.mutant == .endNotFinal { return .success(newest) }
        if let asked = event.instance, asked != newest {
            guard asked > newest else { return .failure(Fault(.ended, "instance \(asked) was followed")) }
            guard ended, asked == newest + 1 else {
                return .failure(Fault(.badField, "instance \(newest) has not ended", at: "instance"))
            }
            return next(asked, slot, now: now)
        }
        guard ended else {
            if event.event == .start, event.key.kind == .activity {
                if wasDismissed(slot, event) { return .failure(Fault(.dismissed)) }
                return .failure(Fault(.superseded, "it has started already"))
            }
            if let revision = event.revision, let bar = slots[slot].record!.revision, revision < bar {
                return .failure(Fault(.superseded, "revision \(revision) is below \(bar)"))
            }
            if event.event == .update, hasStartWithoutPlace(slot, now: now) {
                return .failure(Fault(.overloaded, "the start waits for the end of the instance before"))
            }
            return .success(newest)
        }
        guard event.event == .start, event.instance == nil, newest < .max else { return .failure(Fault(.ended)) }
        return next(newest + 1, slot, now: now)
    }

    /// A next instance has to wait when two ends are still on their way: there is a place for one, and no end is
    /// dropped.
    private func next(_ instance: UInt32, _ slot: Int, now: Moment) -> Result<UInt32, Fault> {
        guard holdsEnd(slot, now: now), let newest = slots[slot].record, isAwaited(newest, slot)
        else { return .success(instance) }
        return .failure(Fault(.overloaded, "the ends of two instances are still on their way"))
    }

    /// Whether the newest record is a start that has not left, and the place beside the newest, where it would wait, is
    /// taken: what followed it now would be all that is left of it.
    private func hasStartWithoutPlace(_ slot: Int, now: Moment) -> Bool {
        guard !importants.isEmpty, let held = importants[slot], !slots[slot].isHanded,
            slots[slot].record?.event == .start, slots[slot].record?.audience.isEmpty == false
        else { return false }
        let isWaiting = !held.isHanded || catchUps[slot]?.wantsImportant == true
        return holdsEnd(slot, now: now)
            || isWaiting && !held.record.isExpired(atMilliseconds: now.wallMilliseconds)
    }

    /// Room for a new name; nil when the node is full or does not own it.
    mutating func makeSlot(_ key: Key, app: UInt16) -> Int? {
        let shard = shard(of: key)
        guard index.count < settings.keysMax, owns(shard) else { return nil }
        return makeSlot(key, app: app, shard)
    }

    /// Room for a name of a shard.
    mutating func makeSlot(_ key: Key, app: UInt16, _ shard: UInt16) -> Int {
        let place = freeSlots.popLast() ?? slots.count
        let ticket = makeTicket(slot: place)
        var slot = KeySlot(
            key: key, account: account(of: key, app: app), shard: shard, ticket: ticket, firstTicket: ticket)
        slot.channel = liveChannel(key, app: app)
        slot.position = shards[Int(shard)].slots.count
        if place == slots.count { slots.append(slot) } else { slots[place] = slot }
        shards[Int(shard)].slots.append(Int32(truncatingIfNeeded: place))
        index[key] = place
        return place
    }

    /// An empty slot holds nothing of the name but its number; lanes' reports on it find nothing.
    mutating func freeSlot(_ slot: Int) {
        index[slots[slot].key] = nil
        slots[slot] = KeySlot(
            key: slots[slot].key, account: slots[slot].account, shard: slots[slot].shard, ticket: 0, firstTicket: 0)
        slots[slot].isUsed = false
        freeSlots.append(slot)
    }

    /// A ticket that no lane has seen: a serial above the slot's number.
    mutating func makeTicket(slot: Int) -> UInt64 {
        lastTicketSerial += 1
        return lastTicketSerial << 32 | UInt64(slot)
    }

    private mutating func accept(
        _ event: PublishInput, _ slot: Int, instance: UInt32, now: Moment, into effects: inout [CoreEffect]
    ) -> Acknowledgement {
        let isNext = instance != slots[slot].instance && slots[slot].record != nil
        if isNext { forgetStarts(slot) }
        if event.event == .end, !importants.isEmpty { dropWaitingStart(slot, into: &effects) }
        let unhanded = makeWay(slot, for: event.event, now: now, into: &effects)
        counters.accepted += 1
        slots[slot].lastSequence += 1
        let sequence = slots[slot].lastSequence
        let stamp = nextStamp(slot, unhanded: unhanded, now: now)
        let place = Int(slots[slot].shard)
        let version = Version(epoch: shards[place].epoch, sequence: sequence)
        // Reads the one field: `record?.revision` copies the whole record.
        let hasFormer = !isNext && slots[slot].record?.version != nil
        let floor = hasFormer ? slots[slot].record!.revision : nil
        if isNext {
            slots[slot].formerTicket = slots[slot].ticket
            slots[slot].ticket = makeTicket(slot: slot)
        }
        slots[slot].instance = instance
        slots[slot].lastStamp = stamp
        slots[slot].record = Record(
            version: version, born: sequence, instance: instance,
            stampSeconds: stamp, event: event.event, important: event.important, quiet: false,
            priority: event.priority, revision: event.revision ?? floor,
            notBeforeMilliseconds: event.notBeforeMilliseconds, expiresAtMilliseconds: event.expiresAtMilliseconds,
            acceptedAtMilliseconds: now.wallMilliseconds, eventID: event.eventID, producer: event.producer,
            audience: event.audience, layout: event.layout, payload: event.payload)
        slots[slot].isHanded = false
        slots[slot].recent.append(id: event.eventID, sequence: sequence, instance: instance)
        follow(slot, sequence, event)
        touchRecord(slot)
        noteUnsent(slot, since: now.wallMilliseconds)
        if event.event == .end { noteEnded(slot, now: now) }
        ask(slot, now: now)
        if settings.traces {
            let stage = TraceStage.replicated(copies: shards[place].copies)
            afterWrites(slots[slot].shard, .stage(eventID: event.eventID, stage), into: &effects)
        }
        return Acknowledgement(
            eventID: event.eventID, version: version, instance: instance, copies: shards[place].copies,
            isRepeated: false, outcome: .accepted)
    }

    /// An instance that ends before its start has left is not started.
    private mutating func dropWaitingStart(_ slot: Int, into effects: inout [CoreEffect]) {
        guard let place = importants[slot], place.record.event == .start, !place.isHanded else { return }
        leavePlace(slot, place, into: &effects)
    }

    private mutating func follow(_ slot: Int, _ sequence: UInt64, _ event: PublishInput) {
        if slots[slot].active.count >= RecentEvents.countMax {
            // Its reports will find nothing; `status` says `unknown`.
            let oldest = slots[slot].active.removeFirst()
            slots[slot].recent.settle(oldest.sequence, .unknown)
            counters.followingDropped += 1
        }
        slots[slot].active.append(
            ActiveEvent(
                sequence: sequence, instance: slots[slot].instance, eventID: event.eventID,
                producer: event.producer, origin: event.origin, wantsReceipts: event.wantsReceipts))
    }

    /// Moves or drops the record that is about to be replaced. Returns its stamp when the new one may take it over.
    private mutating func makeWay(
        _ slot: Int, for next: EventKind, now: Moment, into effects: inout [CoreEffect]
    ) -> Int64? {
        guard let newest = slots[slot].newest() else { return nil }
        let handed = slots[slot].isHanded
        // A start must reach the devices before the updates that follow it, unless the end comes first.
        let isStart = newest.event == .start
        if newest.keepsPlace, !(isStart && next == .end && !handed), !(handed && isNobodys(slot)) {
            let old = slots[slot].record!
            let waitsForTime = (old.notBeforeMilliseconds ?? .min) > now.wallMilliseconds
            if !old.isExpired(atMilliseconds: now.wallMilliseconds), !(waitsForTime && !handed),
                keepPlace(slot, old, handed: handed, now: now, into: &effects)
            {
                return nil
            }
        }
        if !catchUps.isEmpty { dropCatchUp(slot, into: &effects) }
        guard let active = slots[slot].active.index(of: newest.sequence) else { return nil }
        if !handed {
            counters.conflated += 1
            conclude(slot, active, .superseded, afterWrites: true, into: &effects)
            return newest.stampSeconds
        }
        // It was released while nobody followed: nothing will report on it.
        if slots[slot].active[active].tally.offered == 0 {
            conclude(slot, active, .superseded, afterWrites: true, into: &effects)
        }
        return nil
    }

    /// Whether the newest record was released while nobody followed, and nobody does now: no report on it will ever
    /// come.
    private mutating func isNobodys(_ slot: Int) -> Bool {
        guard let record = slots[slot].record, catchUps[slot] == nil,
            let active = slots[slot].active.index(of: record.version.sequence)
        else { return false }
        return slots[slot].active[active].tally.offered == 0 && slots[slot].destinations(of: record).isEmpty
    }

    /// Tries to give an important record, or an end, the place beside the newest. The oldest that still waits keeps
    /// it, but yields to an end.
    private mutating func keepPlace(
        _ slot: Int, _ old: Record, handed: Bool, now: Moment, into effects: inout [CoreEffect]
    ) -> Bool {
        guard isAwaited(old, slot) else { return false }
        if let held = importants[slot] {
            let isWaiting = !held.isHanded || catchUps[slot]?.wantsImportant == true
            let isOver = !isWaiting || held.record.isExpired(atMilliseconds: now.wallMilliseconds)
            // An end keeps the place until all have it, and takes it from anything else.
            guard !holdsEnd(slot, now: now), old.event == .end || isOver && !handed else { return false }
            leavePlace(slot, held, into: &effects)
        }
        let isForeignEnd = old.event == .end && slots[slot].key.kind == .activity
        importants[slot] = ImportantPlace(
            record: old, ticket: slots[slot].ticket, isHanded: handed,
            handedAtMilliseconds: slots[slot].handedAtMilliseconds, batch: openBatch,
            isStored: !handed || isForeignEnd)
        if var catchUp = catchUps[slot] {
            // Newly registered tokens want the state, not what led to it; of an ended instance they want the end.
            catchUp.important = catchUp.newest.filter { $0.isCounted || isForeignEnd }
            catchUp.wholeImportant = catchUp.wholeNewest
            catchUp.staleImportant = catchUp.staleNewest
            catchUp.newest = []
            catchUp.wholeNewest = false
            catchUps[slot] = catchUp.isEmpty ? nil : catchUp
        }
        writeImportant(slot)
        return true
    }

    /// The record beside the newest loses its place: what of it has not been sent will not be.
    private mutating func leavePlace(_ slot: Int, _ held: ImportantPlace, into effects: inout [CoreEffect]) {
        let whole = catchUps[slot]?.wholeImportant ?? false
        let missed = catchUps[slot]?.important.count { $0.isCounted } ?? 0
        catchUps[slot]?.important = []
        catchUps[slot]?.wholeImportant = false
        guard let active = slots[slot].active.index(of: held.record.version.sequence) else {
            return clearImportant(slot)
        }
        if whole || !held.isHanded {
            conclude(slot, active, .superseded, afterWrites: true, into: &effects)
        } else if missed > 0 {
            slots[slot].active[active].tally.superseded += UInt32(missed)
            concludeIfAnswered(slot, active, into: &effects)
        }
        clearImportant(slot)
    }

    /// Writes the record beside the newest, if it is of use after a restart.
    mutating func writeImportant(_ slot: Int) {
        guard let place = importants[slot], place.isStored else { return }
        writeNamed(slot, .important, RecordCodec.encode(place.record, recent: RecentEvents()))
    }

    /// Frees the place beside the newest, and its row.
    mutating func clearImportant(_ slot: Int) {
        guard let place = importants.removeValue(forKey: slot), place.isStored else { return }
        writeNamed(slot, .important, nil)
    }

    /// Destinations that were to catch up with the old record get the new one like all others.
    private mutating func dropCatchUp(_ slot: Int, into effects: inout [CoreEffect]) {
        guard var catchUp = catchUps[slot], let record = slots[slot].record else { return }
        let counted = catchUp.newest.count { $0.isCounted }
        let whole = catchUp.wholeNewest
        catchUp.newest = []
        catchUp.wholeNewest = false
        catchUps[slot] = catchUp.isEmpty ? nil : catchUp
        guard let active = slots[slot].active.index(of: record.version.sequence) else { return }
        if whole {
            conclude(slot, active, .superseded, afterWrites: true, into: &effects)
        } else if counted > 0 {
            slots[slot].active[active].tally.superseded += UInt32(counted)
            concludeIfAnswered(slot, active, into: &effects)
        }
    }

    // MARK: Times

    mutating func noteUnsent(_ slot: Int, since milliseconds: Int64) {
        guard slots[slot].unsentSinceMilliseconds == nil else { return }
        slots[slot].unsentSinceMilliseconds = milliseconds
        if unsent.count > 2 * index.count + 1024 {
            let known = slots
            unsent.keep { known[$0.slot].unsentSinceMilliseconds == $0.milliseconds }
        }
        unsent.append(TimeLine.Entry(slot: slot, ticket: slots[slot].ticket, milliseconds: milliseconds))
    }

    mutating func noteEnded(_ slot: Int, now: Moment) {
        if ended.count > 2 * index.count + 1024 {
            // Names that were given away and came back have several.
            let known = slots
            ended.keep { known[$0.slot].isUsed && known[$0.slot].ticket == $0.ticket }
        }
        ended.append(TimeLine.Entry(slot: slot, ticket: slots[slot].ticket, milliseconds: now.wallMilliseconds))
    }

    /// Ended names are forgotten after a day: no device can show their activity any more.
    mutating func forgetEnded(now: Moment, into effects: inout [CoreEffect]) {
        while let first = ended.first, first.milliseconds + settings.endedKeepMilliseconds <= now.wallMilliseconds {
            ended.removeFirst()
            let entry = slots[first.slot]
            guard entry.isUsed, entry.ticket == first.ticket, entry.record?.state == .ended else { continue }
            forget(first.slot, entry, into: &effects)
        }
    }

    private mutating func forget(_ slot: Int, _ entry: KeySlot, into effects: inout [CoreEffect]) {
        counters.forgotten += 1
        for group in entry.groups {
            for destination in group.destinations { removeToken(destination, into: &effects) }
        }
        for destination in quarantinedBySlot[slot] ?? [] { removeQuarantined(destination) }
        forgetStarts(slot)
        admission.withdraw(ticket: slots[slot].firstTicket)
        importants[slot] = nil
        catchUps[slot] = nil
        for kind in [StoredKind.record, .important, .intent, .settlement] { writeNamed(slot, kind, nil) }
        leaveShard(slot)
        freeSlot(slot)
    }

    private mutating func leaveShard(_ slot: Int) {
        let place = Int(slots[slot].shard)
        let position = slots[slot].position
        guard let last = shards[place].slots.popLast(), Int(last) != slot else { return }
        shards[place].slots[position] = last
        slots[Int(last)].position = position
    }
}

extension Moment {
    /// The wall clock in whole seconds.
    var wallSeconds: Int64 { wallMilliseconds / 1000 }
}
