public import Codes
public import Delivery
import LiveActivity
import Wire

/// Rows that can be understood only when all records are there.
struct StagedRows: Sendable {
    var importants: [(key: [UInt8], record: Record)] = []
    var intents: [(key: [UInt8], born: UInt64)] = []
    var settlements: [(key: [UInt8], outcomes: [(sequence: UInt64, outcome: EventOutcome)])] = []
    var tokens: [(destination: Destination, row: TokenRow)] = []
    var behind: [Destination] = []
    var starts: [(activity: [UInt8], start: DeviceStart)] = []
    var cluster: [[UInt8]: [UInt8]] = [:]
    var summary = RecoverySummary()
}

/// What a start makes of the rows on disk.
extension OwnerCore {
    /// Takes one stored row; any order. Returns a fault when the row cannot be used: it is left out, the others go on.
    public mutating func restore(kind: UInt8, key: [UInt8], value: [UInt8]) -> Fault? {
        guard staged != nil else { return nil }
        guard let kind = StoredKind(rawValue: kind) else { return unreadable(.rowUnknown, "kind \(kind)") }
        switch kind {
        case .record: return restoreRecord(key, value)
        case .important:
            guard let record = RecordCodec.decode(value)?.record else { return unreadable(kind, value) }
            staged!.importants.append((key, record))
        case .intent:
            guard let born = SmallRows.decodeIntent(value) else { return unreadable(kind, value) }
            staged!.intents.append((key, born))
        case .settlement:
            guard let outcomes = SmallRows.decodeSettlement(value) else { return unreadable(kind, value) }
            staged!.settlements.append((key, outcomes))
        case .token:
            guard let row = TokenRow(bytes: value), let place = TokenRow.destination(key: key, apps: appIndex)
            else { return unreadable(kind, value) }
            staged!.tokens.append((place, row))
        case .behind:
            guard let place = TokenRow.destination(key: key, apps: appIndex) else { return unreadable(kind, value) }
            staged!.behind.append(place)
        case .deviceToken:
            guard let (name, token) = DeviceRows.decodeToken(key: key, value: value, apps: appIndex) else {
                return unreadable(kind, value)
            }
            deviceTable.add(token, of: name)
        case .start:
            guard let row = DeviceRows.decodeStart(key: key, value: value) else { return unreadable(kind, value) }
            staged!.starts.append(row)
        case .startTimes:
            guard let (name, times) = DeviceRows.decodeTimes(key: key, value: value, apps: appIndex) else {
                return unreadable(kind, value)
            }
            startTimes[name] = times
        case .channel: return restoreChannel(key, value)
        case .cluster: staged!.cluster[key] = value
        case .node, .charter, .consensus, .logEntry, .logSnapshot, .shardState: return unreadable(kind, value)
        }
        return nil
    }

    private mutating func unreadable(_ kind: StoredKind, _ value: [UInt8]) -> Fault {
        // Every layout begins with its version.
        let isNewer = value.first.map { $0 > RecordCodec.startLayoutVersion } ?? false
        return unreadable(isNewer ? .rowTooNew : .rowUnreadable, "kind \(kind)")
    }

    private mutating func unreadable(_ code: Code, _ detail: String) -> Fault {
        staged!.summary.rowsUnreadable += 1
        return Fault(code, detail)
    }

    private func key(ofName bytes: [UInt8]) -> (key: Key, app: UInt16)? {
        guard let key = Key(bytes: bytes + [0, 0, 0, 1, 0, 0]), let app = appIndex[key.app] else { return nil }
        return (key, app)
    }

    private mutating func restoreRecord(_ name: [UInt8], _ value: [UInt8]) -> Fault? {
        guard let (record, recent) = RecordCodec.decode(value), let (key, app) = key(ofName: name),
            let slot = index[key] ?? makeSlot(key, app: app)
        else { return unreadable(.record, value) }
        slots[slot].record = record
        slots[slot].recent = recent
        slots[slot].instance = record.instance
        slots[slot].lastSequence = record.version.sequence
        slots[slot].lastStamp = record.stampSeconds
        return nil
    }

    private mutating func restoreChannel(_ name: [UInt8], _ value: [UInt8]) -> Fault? {
        guard let (key, app) = key(ofName: name), let entry = ChannelEntry(row: value, app: app) else {
            return unreadable(.channel, value)
        }
        catalogue.restore(key, entry)
        return nil
    }

    /// Ends the start: decides for every name what is sent again and how. `randomBytes` (at least 32) make the
    /// cluster's identity if the disk has none; the generation grows in any case and is durable with the first batch.
    public mutating func finishRestore(randomBytes: [UInt8], now: Moment) -> RecoverySummary {
        guard let rows = staged else { return RecoverySummary() }
        staged = nil
        var summary = rows.summary
        startRun(rows.cluster, randomBytes, now: now)
        summary.channelsPending = catalogue.finishRestore()
        summary.channels = catalogue.entries.values.count { $0.state == .live }
        apply(rows)
        restoreTokens(rows, &summary)
        for slot in slots.indices where slots[slot].isUsed { resume(slot, &summary, now: now) }
        summary.tokensBehind = resumeTokens(rows.behind, now: now)
        summary.starts = resumeStarts(rows.starts, now: now)
        return summary
    }

    private mutating func startRun(_ rows: [[UInt8]: [UInt8]], _ randomBytes: [UInt8], now: Moment) {
        if var known = ClusterRecord(rows: rows) {
            known.startRun(wallMilliseconds: now.wallMilliseconds)
            cluster = known
        } else {
            cluster = ClusterRecord(randomBytes: randomBytes, wallMilliseconds: now.wallMilliseconds)
        }
        openWrites += cluster?.writes ?? []
    }

    private mutating func apply(_ rows: StagedRows) {
        for (name, outcomes) in rows.settlements {
            guard let slot = slot(ofName: name) else { continue }
            for (sequence, outcome) in outcomes { slots[slot].recent.settle(sequence, outcome) }
        }
        for (name, born) in rows.intents {
            guard let slot = slot(ofName: name) else { continue }
            slots[slot].intended = born
        }
        for (name, record) in rows.importants {
            guard let slot = slot(ofName: name) else { continue }
            importants[slot] = ImportantPlace(
                record: record, ticket: slots[slot].ticket, isHanded: true, handedAtMilliseconds: .min, batch: 0,
                isStored: true)
            slots[slot].lastSequence = max(slots[slot].lastSequence, record.version.sequence)
            slots[slot].lastStamp = max(slots[slot].lastStamp, record.stampSeconds)
        }
    }

    func slot(ofName name: [UInt8]) -> Int? { key(ofName: name).flatMap { index[$0.key] } }

    private mutating func restoreTokens(_ rows: StagedRows, _ summary: inout RecoverySummary) {
        for (destination, row) in rows.tokens {
            guard let (key, app) = key(ofName: row.activity), let slot = index[key] ?? makeSlot(key, app: app) else {
                continue
            }
            if slots[slot].record == nil { slots[slot].instance = max(slots[slot].instance, row.instance) }
            guard row.fault == nil else {
                holdInQuarantine(destination, slot, row)
                summary.tokensQuarantined += 1
                continue
            }
            addToken(destination, slot, row)
            summary.tokens += 1
        }
    }

    /// What had not been settled goes again. Every loaded record counts as handed, because its bytes may have left.
    private mutating func resume(_ slot: Int, _ summary: inout RecoverySummary, now: Moment) {
        slots[slot].channel = catalogue.liveID(slots[slot].key).map {
            Destination(kind: .channel, app: slots[slot].account.app, address: $0)
        }
        slots[slot].account = account(of: slots[slot].key, app: slots[slot].account.app)
        guard let record = slots[slot].record else { return }
        summary.records += 1
        if record.state == .ended { noteEnded(slot, now: now) }
        resumeImportant(slot, record, &summary)
        resumeNewest(slot, record, &summary, now: now)
        forgetLost(slot, record)
        ask(slot, now: now)
    }

    /// A record beside the newest goes again only when neither can have left: an older state must not follow a newer
    /// one, and without its alert it is of no use. The end of an earlier instance has tokens of its own and always
    /// goes again.
    private mutating func resumeImportant(_ slot: Int, _ newest: Record, _ summary: inout RecoverySummary) {
        guard var place = importants[slot] else { return }
        let sequence = place.record.version.sequence
        let isForeignEnd = place.record.event == .end && slots[slot].key.kind == .activity
        let mayHaveLeft = slots[slot].intended >= place.record.born
        // Its row goes with its outcome, also when sixteen later events have pushed it out of memory.
        let isSettled = slots[slot].recent.outcome(ofSequence: sequence)?.isFinal ?? false
        guard !isSettled, isForeignEnd || sequence < newest.version.sequence && !mayHaveLeft
        else {
            return clearImportant(slot)
        }
        summary.importants += 1
        if place.record.instance != newest.instance { place.ticket = ticketBefore(slot) }
        if mayHaveLeft { place.record.quiet = true }
        importants[slot] = place
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
        _ slot: Int, _ record: Record, _ summary: inout RecoverySummary, now: Moment
    ) {
        slots[slot].isHanded = true
        guard slots[slot].recent.isPending(record.version.sequence) else { return }
        summary.unsettled += 1
        let mayHaveRung = slots[slot].intended >= record.born
        if record.event == .start, mayHaveRung {
            summary.startsUnknown += 1
            slots[slot].recent.settle(record.version.sequence, .unknown)
            return touchSettlement(slot)
        }
        if record.layout.hasAlert, mayHaveRung, !record.quiet {
            summary.quieted += 1
            slots[slot].record!.quiet = true
        }
        followAgain(slot, record)
        catchUps[slot, default: CatchUp()].wholeNewest = true
        noteUnsent(slot, since: record.acceptedAtMilliseconds)
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

    /// Tokens that registered and had not yet had the state get it now, unless all get it anyway.
    private mutating func resumeTokens(_ behind: [Destination], now: Moment) -> Int {
        var count = 0
        for destination in behind {
            guard let token = tokens[destination], let record = slots[token.slot].record,
                record.instance == token.instance, record.event != .start
            else { continue }
            count += 1
            tokens[destination]!.isBehind = true
            guard catchUps[token.slot]?.wholeNewest != true else { continue }
            catchUps[token.slot, default: CatchUp()].newest.append(
                CatchUp.Target(destination: destination, isQuiet: true, isCounted: false))
            ask(token.slot, now: now)
        }
        return count
    }
}
