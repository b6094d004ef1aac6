import Codes
import Delivery
import LiveActivity
import Wire

/// Rows that can be understood only when all records are there, with the shard whose table they come from.
struct StagedRows: Sendable {
    var importants: [(shard: UInt16, key: [UInt8], record: Record)] = []
    var intents: [(shard: UInt16, key: [UInt8], born: UInt64)] = []
    var settlements: [(shard: UInt16, key: [UInt8], outcomes: [(sequence: UInt64, outcome: EventOutcome)])] = []
    var tokens: [(shard: UInt16, destination: Destination, row: TokenRow)] = []
    var behind: [(shard: UInt16, destination: Destination)] = []
    var starts: [(shard: UInt16, activity: [UInt8], start: DeviceStart)] = []
    var startTimes: [(shard: UInt16, name: DeviceName, times: [Int64])] = []
}

/// What a take-over makes of a shard's rows.
extension OwnerCore {
    /// Takes one row of a shard's table. Returns a fault when it cannot be used: it is left out, the others go on.
    mutating func restore(
        _ shard: UInt16, _ kind: UInt8, _ key: [UInt8], _ value: [UInt8], _ staged: inout StagedRows
    ) -> Fault? {
        guard let kind = StoredKind(rawValue: kind) else { return Fault(.rowUnknown, "kind \(kind)") }
        switch kind {
        case .record: return restoreRecord(shard, key, value)
        case .important:
            guard let record = RecordCodec.decode(value)?.record else { return unreadable(kind, value) }
            staged.importants.append((shard, key, record))
        case .intent:
            guard let born = SmallRows.decodeIntent(value) else { return unreadable(kind, value) }
            staged.intents.append((shard, key, born))
        case .settlement:
            guard let outcomes = SmallRows.decodeSettlement(value) else { return unreadable(kind, value) }
            staged.settlements.append((shard, key, outcomes))
        case .token:
            guard let row = TokenRow(bytes: value), let place = TokenRow.destination(key: key, apps: appIndex)
            else { return unreadable(kind, value) }
            staged.tokens.append((shard, place, row))
        case .behind:
            guard let place = TokenRow.destination(key: key, apps: appIndex) else { return unreadable(kind, value) }
            staged.behind.append((shard, place))
        case .start:
            guard let row = DeviceRows.decodeStart(key: key, value: value) else { return unreadable(kind, value) }
            staged.starts.append((shard, row.activity, row.start))
        case .startTimes:
            guard let (name, times) = DeviceRows.decodeTimes(key: key, value: value, apps: appIndex) else {
                return unreadable(kind, value)
            }
            staged.startTimes.append((shard, name, times))
        case .deviceToken:
            guard shard == Shard.registry else { return unreadable(kind, value) }
            if settings.mutant == .registryForgotten { return nil }
            return observe(key, value)
        case .channel, .cluster, .node, .charter, .consensus, .logEntry, .logSnapshot, .shardState:
            return Fault(.rowUnknown, "kind \(kind)")
        }
        return nil
    }

    func unreadable(_ kind: StoredKind, _ value: [UInt8]) -> Fault {
        // Every layout begins with its version.
        let isNewer = value.first.map { $0 > RecordCodec.startLayoutVersion } ?? false
        return Fault(isNewer ? .rowTooNew : .rowUnreadable, "kind \(kind)")
    }

    private func key(ofName bytes: [UInt8]) -> (key: Key, app: UInt16)? {
        guard let key = Key(bytes: bytes + [0, 0, 0, 1, 0, 0]), let app = appIndex[key.app] else { return nil }
        return (key, app)
    }

    /// The slot of a name of this shard.
    func slot(ofName name: [UInt8], in shard: UInt16) -> Int? {
        guard let slot = key(ofName: name).flatMap({ index[$0.key] }), slots[slot].shard == shard else { return nil }
        return slot
    }

    /// A slot for a name that is acknowledged already: `keysMax` does not keep it out.
    private mutating func slot(for name: [UInt8], in shard: UInt16) -> Int? {
        guard let (key, app) = key(ofName: name) else { return nil }
        if let known = index[key] { return slots[known].shard == shard ? known : nil }
        return self.shard(of: key) == shard ? makeSlot(key, app: app, shard) : nil
    }

    private mutating func restoreRecord(_ shard: UInt16, _ name: [UInt8], _ value: [UInt8]) -> Fault? {
        guard let (record, recent) = RecordCodec.decode(value), let slot = slot(for: name, in: shard)
        else { return unreadable(.record, value) }
        slots[slot].record = record
        slots[slot].recent = recent
        slots[slot].instance = record.instance
        slots[slot].lastSequence = record.version.sequence
        slots[slot].lastStamp = record.stampSeconds
        return nil
    }

    /// Joins what the staged rows say with the records, and decides what is sent again and how.
    mutating func resume(
        _ rows: StagedRows, _ adoptions: [Adoption], _ summary: inout RecoverySummary, now: Moment,
        into effects: inout [CoreEffect]
    ) {
        apply(rows)
        restoreTokens(rows, &summary, into: &effects)
        for (shard, destination) in rows.behind where tokens[destination].map({ slots[$0.slot].shard }) == shard {
            tokens[destination]!.isBehind = true
        }
        for adoption in adoptions where owns(adoption.shard) {
            for slot in shards[Int(adoption.shard)].slots {
                if adoption.isPartial {
                    retire(Int(slot), &summary, now: now)
                } else {
                    resume(Int(slot), adoption.isReassertion, &summary, now: now)
                }
            }
        }
        summary.tokensBehind = resumeTokens(rows.behind, now: now)
        summary.starts = resumeStarts(rows)
    }

    private mutating func apply(_ rows: StagedRows) {
        for (shard, name, outcomes) in rows.settlements {
            guard let slot = slot(ofName: name, in: shard) else { continue }
            for (sequence, outcome) in outcomes { slots[slot].recent.settle(sequence, outcome) }
        }
        for (shard, name, born) in rows.intents {
            guard let slot = slot(ofName: name, in: shard) else { continue }
            slots[slot].intended = born
        }
        for (shard, name, record) in rows.importants {
            guard let slot = slot(ofName: name, in: shard) else { continue }
            importants[slot] = ImportantPlace(
                record: record, ticket: slots[slot].ticket, isHanded: true, handedAtMilliseconds: .min, batch: 0,
                isStored: true)
            slots[slot].lastSequence = max(slots[slot].lastSequence, record.version.sequence)
            slots[slot].lastStamp = max(slots[slot].lastStamp, record.stampSeconds)
        }
    }

    private mutating func restoreTokens(
        _ rows: StagedRows, _ summary: inout RecoverySummary, into effects: inout [CoreEffect]
    ) {
        for (shard, destination, row) in rows.tokens {
            guard let slot = slot(for: row.activity, in: shard) else { continue }
            if slots[slot].record == nil { slots[slot].instance = max(slots[slot].instance, row.instance) }
            guard isNewest(destination, slot, row, into: &effects) else { continue }
            guard row.fault == nil else {
                holdInQuarantine(destination, slot, row)
                summary.tokensQuarantined += 1
                continue
            }
            addToken(destination, slot, row)
            summary.tokens += 1
        }
    }

    /// A token follows one activity, and its rows in two shards may say two: the later registration holds. Takes the
    /// older one out.
    private mutating func isNewest(
        _ destination: Destination, _ slot: Int, _ row: TokenRow, into effects: inout [CoreEffect]
    ) -> Bool {
        let known = tokens[destination]?.registeredAtMilliseconds
        let faulty = quarantined[destination]?.row.registeredAtMilliseconds
        guard let other = known ?? faulty else { return true }
        guard other < row.registeredAtMilliseconds else {
            write(slot, .token, tokenKey(destination), nil)
            write(slot, .behind, tokenKey(destination), nil)
            return false
        }
        removeToken(destination, into: &effects)
        removeQuarantined(destination)
        return true
    }

    /// What had not been settled goes again. Every loaded record counts as handed, because its bytes may have left.
    private mutating func resume(
        _ slot: Int, _ isReassertion: Bool, _ summary: inout RecoverySummary, now: Moment
    ) {
        guard let record = slots[slot].record else { return }
        summary.records += 1
        if record.state == .ended { noteEnded(slot, now: now) }
        guard settings.mutant != .noReassertion else { return }
        resumeImportant(slot, record, &summary)
        resumeNewest(slot, record, isReassertion, &summary, now: now)
        forgetLost(slot, record)
        ask(slot, now: now)
    }

    /// What devices show may be newer than the record, and lost. With a fresh stamp it would take them back, so it is
    /// over from now on, also for tokens that register and for later owners; the next event goes out as ever.
    private mutating func retire(_ slot: Int, _ summary: inout RecoverySummary, now: Moment) {
        guard let record = slots[slot].record else { return }
        summary.records += 1
        if record.state == .ended { noteEnded(slot, now: now) }
        slots[slot].isHanded = true
        slots[slot].outBorn = record.born
        slots[slot].record!.expiresAtMilliseconds = min(
            record.expiresAtMilliseconds ?? .max, record.acceptedAtMilliseconds)
        touchRecord(slot)
        clearImportant(slot)
        forgetLost(slot, record)
    }

    /// A record beside the newest goes again only when neither can have left: an older state must not follow a newer
    /// one, and without its alert it is of no use. The end of an earlier instance has tokens of its own and always
    /// goes again.
    private mutating func resumeImportant(_ slot: Int, _ newest: Record, _ summary: inout RecoverySummary) {
        guard var place = importants[slot] else { return }
        let sequence = place.record.version.sequence
        let isForeignEnd = isForeignEnd(place.record, slot)
        let mayHaveLeft = slots[slot].intended >= place.record.born
        // Its row goes with its outcome, also when sixteen later events have pushed it out of memory.
        let isSettled = slots[slot].recent.outcome(ofSequence: sequence)?.isFinal ?? false
        let isOwed = isForeignEnd && hasTokensBehind(slot, place.record.instance)
        guard isOwed || !isSettled, isForeignEnd || sequence < newest.version.sequence && !mayHaveLeft
        else {
            return clearImportant(slot)
        }
        summary.importants += 1
        if place.record.instance != newest.instance { place.ticket = ticketBefore(slot) }
        if mayHaveLeft, settings.mutant != .reassertionRings { place.record.quiet = true }
        importants[slot] = place
        guard !isSettled else { return }
        followAgain(slot, place.record)
        catchUps[slot, default: CatchUp()].wholeImportant = true
    }

    /// A ticket below the slot's own, for the end of an earlier instance.
    private mutating func ticketBefore(_ slot: Int) -> UInt64 {
        let before = slots[slot].ticket
        slots[slot].ticket = makeTicket(slot: slot)
        return before
    }

    private mutating func resumeNewest(
        _ slot: Int, _ record: Record, _ isReassertion: Bool, _ summary: inout RecoverySummary, now: Moment
    ) {
        slots[slot].isHanded = true
        slots[slot].outBorn = record.born
        guard slots[slot].recent.isPending(record.version.sequence) else {
            if isReassertion { reassert(slot, record, &summary, now: now) }
            return
        }
        summary.unsettled += 1
        let mayHaveRung = slots[slot].intended >= record.born
        if record.event == .start, mayHaveRung, settings.mutant != .startSentAgain {
            summary.startsUnknown += 1
            slots[slot].recent.settle(record.version.sequence, .unknown)
            return touchSettlement(slot)
        }
        if record.layout.hasAlert, mayHaveRung, !record.quiet, record.event != .start,
            settings.mutant != .reassertionRings
        {
            summary.quieted += 1
            slots[slot].record!.quiet = true
        }
        followAgain(slot, record)
        catchUps[slot, default: CatchUp()].wholeNewest = true
        noteUnsent(slot, since: record.acceptedAtMilliseconds)
    }

    /// The record arrived, but the former owner may have sent an older one after it without knowing that it is the
    /// owner no more: what devices show and APNs stores is put right. Quietly: it was heard.
    private mutating func reassert(
        _ slot: Int, _ record: Record, _ summary: inout RecoverySummary, now: Moment
    ) {
        let sentAt = max(record.acceptedAtMilliseconds, record.stampSeconds * 1000)
        guard record.event != .start, sentAt + settings.reassertMilliseconds >= now.wallMilliseconds,
            !record.isExpired(atMilliseconds: now.wallMilliseconds)
        else { return }
        summary.reasserted += 1
        if settings.mutant != .reassertionRings { slots[slot].record!.quiet = true }
        catchUps[slot, default: CatchUp()].wholeNewest = true
    }

    private mutating func followAgain(_ slot: Int, _ record: Record) {
        slots[slot].active.append(
            ActiveEvent(
                sequence: record.version.sequence, instance: record.instance, eventID: record.eventID,
                producer: record.producer, origin: nil))
    }

    /// Older events whose outcome was not stored: they may have been sent, nobody can tell.
    private mutating func forgetLost(_ slot: Int, _ newest: Record) {
        let followed = Set(slots[slot].active.map(\.sequence))
        for entry in slots[slot].recent.entries where !entry.outcome.isFinal && !followed.contains(entry.sequence) {
            slots[slot].recent.settle(entry.sequence, .unknown)
            touchSettlement(slot)
        }
    }

    /// Tokens that registered and had not yet had the state get it now, unless all get it anyway; those of an
    /// instance that has been followed get its end.
    private mutating func resumeTokens(_ behind: [(shard: UInt16, destination: Destination)], now: Moment) -> Int {
        var count = 0
        for (shard, destination) in behind {
            guard let token = tokens[destination], slots[token.slot].shard == shard else { continue }
            if let record = slots[token.slot].record, record.instance == token.instance, record.event != .start {
                if catchUps[token.slot]?.wholeNewest != true {
                    catchUps[token.slot, default: CatchUp()].newest.append(
                        CatchUp.Target(destination: destination, isQuiet: true, isCounted: false))
                }
            } else if let end = importants[token.slot]?.record, end.instance == token.instance,
                isForeignEnd(end, token.slot)
            {
                offerEndAgain(to: destination, token.slot, stale: nil)
            } else {
                tokens[destination]!.isBehind = false
                continue
            }
            count += 1
            ask(token.slot, now: now)
        }
        return count
    }
}
