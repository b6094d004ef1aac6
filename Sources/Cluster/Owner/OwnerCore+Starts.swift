import Delivery
import LiveActivity
import Wire

/// Push-to-start: one start per device and instance, sent at most once, and what is known of it afterwards.
extension OwnerCore {
    /// The push-to-start tokens that a start goes to. For every device that it is for, one row says what became of it;
    /// the rows are in the batch that the offer waits for, so no start leaves without one.
    mutating func startDestinations(
        _ slot: Int, _ record: Record, _ ticket: UInt64, now: Moment, into effects: inout [CoreEffect]
    ) -> [Destination] {
        guard let audience = StartAudience(packed: record.audience) else { return [] }
        var destinations: [Destination] = []
        var vain: StartState?
        for name in deviceTable.devices(of: audience, app: slots[slot].account.app) {
            if let known = startIndex(slot, name, record.instance) {
                vain = vain ?? starts[slot]?[known].state
                continue
            }
            guard starts[slot]?.count ?? 0 < settings.startsPerActivityMax else {
                counters.startsDropped += 1
                continue
            }
            let start = makeStart(slot, name, audience, record.instance, now: now, into: &effects)
            if let destination = start.destination {
                destinations.append(destination)
            } else {
                vain = vain ?? start.state
            }
            starts[slot, default: []].append(start)
            writeStart(slot, start)
            if start.state.isVain { sendFallback(slot, start.name, record, ticket, audience, into: &effects) }
        }
        counters.startsSent += UInt64(destinations.count)
        if destinations.isEmpty, let active = slots[slot].active.index(of: record.version.sequence) {
            // Nobody will report on it.
            let reason = (vain ?? .tokenless).name
            conclude(slot, active, .failed(reason: reason), afterWrites: true, into: &effects)
        }
        return destinations
    }

    private mutating func makeStart(
        _ slot: Int, _ name: DeviceName, _ audience: StartAudience, _ instance: UInt32, now: Moment,
        into effects: inout [CoreEffect]
    ) -> DeviceStart {
        var start = DeviceStart(
            name: name, instance: instance, state: .tokenless, sinceMilliseconds: now.wallMilliseconds)
        guard let token = deviceTable.token(of: name, .startToken, audience.attributesType) else { return start }
        if let fault = token.fault {
            start.state = .refused
            start.reason = fault.name
        } else if isLimited(name, now: now) {
            start.state = .limited
            counters.startsLimited += 1
            effects.append(.notice(.startLimited(app: name.app)))
        } else {
            start.state = .sending
            start.destination = token.destination
            countStart(slots[slot].shard, name, now: now)
        }
        return start
    }

    func startIndex(_ slot: Int, _ name: DeviceName, _ instance: UInt32) -> Int? {
        starts[slot]?.firstIndex { $0.instance == instance && $0.name == name }
    }

    private mutating func writeStart(_ slot: Int, _ start: DeviceStart) {
        write(
            slot, .start, DeviceRows.startKey(Array(slots[slot].key.nameBytes), start.name),
            DeviceRows.startValue(start))
    }

    private mutating func setStart(
        _ slot: Int, _ place: Int, _ state: StartState, reason: String = "", now: Moment
    ) {
        guard var start = starts[slot]?[place] else { return }
        start.state = state
        start.reason = reason
        start.sinceMilliseconds = now.wallMilliseconds
        starts[slot]![place] = start
        writeStart(slot, start)
        if state.awaitsToken { awaitToken(slot, start) }
    }

    private mutating func awaitToken(_ slot: Int, _ start: DeviceStart) {
        startWaits.append(
            StartTimeLine.Entry(
                slot: slot, name: start.name, instance: start.instance, milliseconds: start.sinceMilliseconds))
    }

    /// An ended name is forgotten, or its next instance begins: its starts are history.
    mutating func forgetStarts(_ slot: Int) {
        guard let all = starts.removeValue(forKey: slot) else { return }
        let activity = Array(slots[slot].key.nameBytes)
        for start in all { write(slot, .start, DeviceRows.startKey(activity, start.name), nil) }
    }

    // MARK: What becomes of it

    /// What APNs said to a start.
    mutating func noteStart(
        _ report: LaneReport, _ slot: Int, now: Moment, into effects: inout [CoreEffect]
    ) {
        guard let place = starts[slot]?.firstIndex(where: { $0.destination == report.destination }),
            let start = starts[slot]?[place], start.state == .sending
        else { return }
        switch report.outcome {
        case .accepted:
            let follows = startRecord(slot, report.sequence).flatMap { StartAudience(packed: $0.audience) }
            setStart(slot, place, follows?.followsChannel == true ? .channel : .pending, now: now)
        case .unknown: setStart(slot, place, .unknown, now: now)
        case .failed(_, let reason), .gone(_, let reason, _):
            setStart(slot, place, .refused, reason: reason, now: now)
            guard let record = startRecord(slot, report.sequence), let audience = StartAudience(packed: record.audience)
            else { return }
            sendFallback(slot, start.name, record, report.ticket, audience, into: &effects)
        case .expired, .superseded: setStart(slot, place, .refused, reason: "expired", now: now)
        case .stale, .overloaded, .deferred: break
        }
    }

    /// The start's record, as long as it is kept: until a newer event has come and the start was settled.
    private func startRecord(_ slot: Int, _ sequence: UInt64) -> Record? {
        let active = slots[slot].active.index(of: sequence).map { slots[slot].active[$0].sequence } ?? sequence
        if let record = slots[slot].record, record.version.sequence == active, record.event == .start { return record }
        guard let place = importants[slot], place.record.version.sequence == active, place.record.event == .start
        else { return nil }
        return place.record
    }

    /// The update token has come: the start is no longer awaited.
    mutating func joinStart(_ slot: Int, _ instance: UInt32, _ name: DeviceName, now: Moment) {
        guard name.isNamed, let all = starts[slot] else { return }
        let place = all.firstIndex { start in
            start.instance == instance && start.name.device == name.device
                && (name.user.isEmpty || start.name.user == name.user)
                && (start.state.awaitsToken || start.state == .overdue || start.state == .sending)
        }
        if let place { setStart(slot, place, .joined, now: now) }
    }

    /// The app says that its activity is over on this device: that is known from now on, unlike a token that died.
    mutating func noteEnd(_ end: ActivityEnd, _ input: RegisterInput, _ known: TokenEntry?, now: Moment) {
        guard let slot = known?.slot ?? index[input.key.base] else { return }
        let instance = known?.instance ?? input.instance ?? slots[slot].instance
        var name = input.name
        if let known, !known.device.isEmpty { (name.user, name.device) = (known.user, known.device) }
        guard name.isNamed, name.isShort else { return }
        let state: StartState = end == .dismissed ? .dismissed : .ended
        if let place = startIndex(slot, name, instance) { return setStart(slot, place, state, now: now) }
        guard end == .dismissed else { return }
        guard starts[slot]?.count ?? 0 < settings.startsPerActivityMax else { return counters.startsDropped += 1 }
        let start = DeviceStart(
            name: name, instance: instance, state: state, sinceMilliseconds: now.wallMilliseconds)
        starts[slot, default: []].append(start)
        writeStart(slot, start)
    }

    /// Whether the user took this instance off the screen of a device that the start is for.
    func wasDismissed(_ slot: Int, _ event: PublishInput) -> Bool {
        guard let audience = event.audience, let all = starts[slot] else { return false }
        return all.contains {
            $0.instance == slots[slot].instance && $0.state == .dismissed && audience.covers($0.name)
        }
    }

    /// Reports starts whose update token has not come, and lets go of hours that are over.
    mutating func watchStarts(now: Moment, into effects: inout [CoreEffect]) {
        while let first = startWaits.first,
            first.milliseconds + settings.startTokenWaitMilliseconds <= now.wallMilliseconds
        {
            startWaits.removeFirst()
            guard let place = startIndex(first.slot, first.name, first.instance),
                let start = starts[first.slot]?[place], start.state.awaitsToken,
                start.sinceMilliseconds == first.milliseconds
            else { continue }
            setStart(first.slot, place, .overdue, now: now)
            counters.startsOverdue += 1
            let waited = now.wallMilliseconds - first.milliseconds
            effects.append(.notice(.startOverdue(app: first.name.app, waitedMilliseconds: waited)))
        }
        while let first = startHours.first, first.milliseconds + Self.hour <= now.wallMilliseconds {
            startHours.removeFirst()
            dropOldTimes(first.name, now: now)
        }
    }

    // MARK: The limit of a device

    private static var hour: Int64 { 3_600_000 }

    /// Counts what this owner has sent: a device whose activities lie in shards of several nodes may have more in all.
    private func isLimited(_ name: DeviceName, now: Moment) -> Bool {
        let recent = (startTimes[name] ?? []).count { $0.milliseconds + Self.hour > now.wallMilliseconds }
        return recent >= min(settings.startsPerDeviceHourMax, DeviceRows.timesMax)
    }

    private mutating func countStart(_ shard: UInt16, _ name: DeviceName, now: Moment) {
        dropOldTimes(name, now: now)
        startTimes[name, default: []].append(StartTime(shard: shard, milliseconds: now.wallMilliseconds))
        writeTimes(shard, name)
        startHours.append(
            StartTimeLine.Entry(slot: 0, name: name, instance: 0, milliseconds: now.wallMilliseconds))
    }

    private mutating func dropOldTimes(_ name: DeviceName, now: Moment) {
        guard let times = startTimes[name] else { return }
        let old = times.filter { $0.milliseconds + Self.hour <= now.wallMilliseconds }
        guard !old.isEmpty else { return }
        let kept = times.filter { $0.milliseconds + Self.hour > now.wallMilliseconds }
        startTimes[name] = kept.isEmpty ? nil : kept
        for shard in Set(old.map(\.shard)).sorted() { writeTimes(shard, name) }
    }

    /// A shard's row holds the times of its own starts.
    private mutating func writeTimes(_ shard: UInt16, _ name: DeviceName) {
        let times = (startTimes[name] ?? []).filter { $0.shard == shard }.map(\.milliseconds)
        write(
            shard, .startTimes, DeviceRows.timesKey(name, app: settings.apps[Int(name.app)]),
            times.isEmpty ? nil : DeviceRows.timesValue(times))
    }

    // MARK: After a take-over

    /// A start whose intent is stored may have been sent: it is not sent again.
    mutating func resumeStarts(_ rows: StagedRows) -> Int {
        var waiting: [StartTimeLine.Entry] = []
        var touched: Set<Int> = []
        var count = 0
        for row in rows.starts {
            guard let slot = slot(ofName: row.activity, in: row.shard) else { continue }
            var start = row.start
            start.name.app = slots[slot].account.app
            if settings.mutant == .startSentAgain, start.state == .sending { continue }
            if start.state == .sending {
                start.state = .unknown
                writeStart(slot, start)
            }
            starts[slot, default: []].append(start)
            touched.insert(slot)
            count += 1
            guard start.state.awaitsToken else { continue }
            waiting.append(
                StartTimeLine.Entry(
                    slot: slot, name: start.name, instance: start.instance, milliseconds: start.sinceMilliseconds))
        }
        for slot in touched {
            starts[slot]?.sort { Self.isBefore($0.sinceMilliseconds, $0.name, $1.sinceMilliseconds, $1.name) }
        }
        startWaits.merge(waiting) { Self.isBefore($0.milliseconds, $0.name, $1.milliseconds, $1.name) }
        resumeTimes(rows)
        return count
    }

    private mutating func resumeTimes(_ rows: StagedRows) {
        var hours: [StartTimeLine.Entry] = []
        for row in rows.startTimes {
            for time in row.times {
                startTimes[row.name, default: []].append(StartTime(shard: row.shard, milliseconds: time))
                hours.append(StartTimeLine.Entry(slot: 0, name: row.name, instance: 0, milliseconds: time))
            }
        }
        startHours.merge(hours) { Self.isBefore($0.milliseconds, $0.name, $1.milliseconds, $1.name) }
    }

    /// One order for all runs: by time, then by name.
    private static func isBefore(_ left: Int64, _ name: DeviceName, _ right: Int64, _ other: DeviceName) -> Bool {
        guard left == right else { return left < right }
        guard name.app == other.app else { return name.app < other.app }
        guard name.user == other.user else { return name.user.lexicographicallyPrecedes(other.user) }
        return name.device.lexicographicallyPrecedes(other.device)
    }
}
