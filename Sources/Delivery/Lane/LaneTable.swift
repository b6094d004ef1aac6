internal import LiveActivity

/// All lanes of one apns loop: the way of every destination to APNs.
///
/// ### Rules
/// Per destination at most one request is under way and two items wait: the oldest unexpired important one and the
/// newest. Versions strictly grow towards APNs, except for a retry of the same one. `end` is final and passes
/// everything else. What may have arrived is never sent again with its alert. Every offered item gets exactly one
/// final report; two offers of one version while it is held count as one.
///
/// ### Use
/// The shell offers items, calls `dispatch` for each outlet with as many requests as its pool has room for, hands
/// over every answer and failure, and calls `tick` when `nextDeadline` passes. Items are chosen, and their stamp
/// and expiry checked, at dispatch and not before, so that whatever waits for a connection goes on conflating.
public struct LaneTable: Sendable {
    /// The knobs.
    public let settings: LaneSettings
    /// What happened so far.
    public private(set) var counters = LaneCounters()

    /// Free slots keep the lane they had last: idle, without work, and found by no key.
    private var slots: [Lane] = []
    private var free: [Int32] = []
    private var index: [Lane.Key: Int32] = [:]
    /// Two queues per outlet: retries of unprocessed requests go before first attempts.
    private var ready: [ReadyQueue] = []
    private var resting = SlotHeap()
    private var positions: [Int32] = []
    private var idleHead: Int32 = -1
    private var idleTail: Int32 = -1
    private var serial: UInt64 = 0
    private var random: SplitMix64
    private var reports: [LaneReport] = []
    private var latest = Int64.min

    private struct ReadyQueue: Sendable {
        var again = FIFO<Int32>()
        var first = FIFO<Int32>()
    }

    private static let slotBits: UInt64 = 24

    /// Makes an empty table; `seed` decides the jitter of its back-off.
    public init(settings: LaneSettings = LaneSettings(), seed: UInt64) {
        var settings = settings
        settings.lanesMax = min(max(settings.lanesMax, 1), 1 << Int(Self.slotBits) - 1)
        self.settings = settings
        random = SplitMix64(seed: seed)
    }

    /// Lanes in memory, idle ones among them.
    public var count: Int { index.count }

    /// How many lanes of an outlet have something to send now: what its pool needs room for.
    public func readyCount(_ outlet: Outlet) -> Int {
        guard outlet.index < ready.count else { return 0 }
        return ready[outlet.index].again.count + ready[outlet.index].first.count
    }

    /// When `tick` is due, in milliseconds since boot.
    public var nextDeadline: Int64? {
        let idle = idleHead < 0 ? nil : slots[Int(idleHead)].idleSince + settings.lingerMilliseconds
        guard let rest = resting.first?.key else { return idle }
        return idle.map { min($0, rest) } ?? rest
    }

    // MARK: Inputs

    /// Takes an item for a destination. It is sent by a later `dispatch`, or reported.
    public mutating func offer(
        _ item: PushItem, to destination: Destination, now: Moment, into effects: inout [LaneEffect]
    ) {
        counters.offered += 1
        guard !item.isExpired(now) else { return reject(item, destination, .expired, &effects) }
        guard let slot = slot(for: destination, ticket: item.ticket) else {
            return reject(item, destination, .overloaded, &effects)
        }
        let placement = slots[slot].place(item, now: now, into: &reports)
        switch placement {
        case .placed: wake(slot)
        case .repeated: counters.repeated += 1
        case .outdated: reject(item, destination, .superseded, &effects)
        }
        rest(slot, ifIdleAt: now)
        flush(&effects)
    }

    /// Hands out up to `room` requests of an outlet, in the order in which its lanes became ready.
    public mutating func dispatch(
        _ outlet: Outlet, atMost room: Int, now: Moment, into effects: inout [LaneEffect]
    ) {
        guard outlet.index < ready.count else { return }
        var left = room
        while left > 0, let slot = nextReady(outlet.index) {
            let item = slots[slot].choose(
                now: now, stampAgeMaxMilliseconds: settings.stampAgeMaxMilliseconds, into: &reports)
            flush(&effects)
            guard let item else {
                slots[slot].phase = .idle
                linkIdle(slot, now)
                continue
            }
            left -= 1
            effects.append(.send(depart(slot), slots[slot].destination, item))
        }
    }

    /// The answer to a request, classified.
    public mutating func answered(
        _ id: SendID, _ verdict: Verdict, now: Moment, into effects: inout [LaneEffect]
    ) {
        guard let slot = flying(id) else { return counters.ignored += 1 }
        switch verdict.reaction {
        case _ where slots[slot].isWithdrawn: endWithdrawn(slot, verdict, now)
        case .accepted:
            slots[slot].noteArrival(certain: true)
            conclude(slot, .accepted)
        case .dropToken, .channelGone: bury(slot, verdict.answer)
        case .fix, .channelLimit: refuse(slot, verdict.answer)
        case .signAgain, .reconnect, .configuration, .later: postpone(slot, verdict, now)
        }
        rest(slot, ifIdleAt: now)
        flush(&effects)
    }

    /// A request ended without an answer.
    public mutating func failed(
        _ id: SendID, _ failure: SendFailure, now: Moment, into effects: inout [LaneEffect]
    ) {
        guard let slot = flying(id) else { return counters.ignored += 1 }
        switch failure {
        case _ where slots[slot].isWithdrawn: goOnWithout(slot)
        case .unprocessed: sendAgain(slot, now)
        case .unknown: replay(slot, now)
        }
        rest(slot, ifIdleAt: now)
        flush(&effects)
    }

    /// The keys of these tickets are no longer this node's: what waits of them is forgotten without a report, and so is
    /// the outcome of what is under way, whose lane goes on waiting for it. Looks at every lane once, whatever the
    /// number of tickets: put many into one call.
    public mutating func withdraw(tickets: some Sequence<UInt64>, now: Moment) {
        let tickets = Set(tickets)
        guard !tickets.isEmpty else { return }
        for slot in slots.indices {
            let count = slots[slot].withdraw(tickets)
            guard count > 0 else { continue }
            counters.withdrawn += count
            guard case .resting = slots[slot].phase, !slots[slot].hasWork else { continue }
            // Lanes in a ready queue are found empty by `dispatch`.
            resting.remove(slot, positions: &positions)
            slots[slot].phase = .idle
            slots[slot].failures = 0
            linkIdle(slot, now)
        }
    }

    /// Wakes lanes whose back-off is over and forgets lanes that were idle long enough. Call when `nextDeadline`
    /// passes.
    public mutating func tick(now: Moment, into effects: inout [LaneEffect]) {
        while let node = resting.first, node.key <= now.bootMilliseconds {
            let slot = Int(node.slot)
            resting.remove(slot, positions: &positions)
            if slots[slot].pause() {
                enqueue(slot, again: false)
            } else {
                linkIdle(slot, now)
            }
        }
        let idleUntil = now.bootMilliseconds - settings.lingerMilliseconds
        while idleHead >= 0, slots[Int(idleHead)].idleSince <= idleUntil { forget(Int(idleHead)) }
        flush(&effects)
    }

    // MARK: Outcomes of a request

    private mutating func conclude(_ slot: Int, _ outcome: LaneReport.Outcome) {
        slots[slot].failures = 0
        slots[slot].finish(outcome, &reports)
        goOn(slot, again: false)
    }

    /// A request whose key has left: its outcome matters only to what else waits for the destination.
    private mutating func endWithdrawn(_ slot: Int, _ verdict: Verdict, _ now: Moment) {
        switch verdict.reaction {
        case .dropToken, .channelGone: bury(slot, verdict.answer)
        case .later, .configuration:
            slots[slot].current = nil
            guard slots[slot].hasWaiting, let pace = backOff(verdict.pace) else { return goOnWithout(slot) }
            slots[slot].failures = min(slots[slot].failures + 1, 64)
            var wait = pace.delay(failures: slots[slot].failures, random: &random)
            if case .later(let asked?) = verdict.reaction { wait = max(wait, asked) }
            sleep(slot, milliseconds: wait, interruptible: false, now)
        case .accepted, .fix, .channelLimit, .signAgain, .reconnect: goOnWithout(slot)
        }
    }

    private mutating func goOnWithout(_ slot: Int) {
        slots[slot].current = nil
        goOn(slot, again: false)
    }

    /// The destination is dead.
    private mutating func bury(_ slot: Int, _ answer: Answer) {
        let outcome = LaneReport.Outcome.gone(
            status: answer.status, reason: answer.text, sinceMilliseconds: answer.sinceMilliseconds)
        slots[slot].finish(outcome, &reports)
        // What waits would meet the same answer; the core knows whether the destination was registered anew since.
        slots[slot].clearWaiting(outcome, &reports)
        conclude(slot, outcome)
    }

    private mutating func refuse(_ slot: Int, _ answer: Answer) {
        conclude(slot, .failed(status: answer.status, reason: answer.text))
    }

    private mutating func postpone(_ slot: Int, _ verdict: Verdict, _ now: Moment) {
        guard verdict.retryable else { return refuse(slot, verdict.answer) }
        guard let pace = backOff(verdict.pace) else { return sendAgain(slot, now) }
        slots[slot].failures = min(slots[slot].failures + 1, 64)
        var wait = pace.delay(failures: slots[slot].failures, random: &random)
        if case .later(let asked?) = verdict.reaction { wait = max(wait, asked) }
        deferCurrent(slot, verdict.answer.text)
        sleep(slot, milliseconds: wait, interruptible: false, now)
    }

    private mutating func sendAgain(_ slot: Int, _ now: Moment) {
        let attempts = (slots[slot].current?.unprocessed ?? 0) + 1
        slots[slot].current?.unprocessed = attempts
        guard attempts > settings.immediateRetriesMax else { return goOn(slot, again: true) }
        let wait = settings.unprocessed.delay(
            failures: attempts - settings.immediateRetriesMax, random: &random)
        deferCurrent(slot, "unprocessed")
        sleep(slot, milliseconds: wait, interruptible: false, now)
    }

    private mutating func replay(_ slot: Int, _ now: Moment) {
        slots[slot].noteArrival(certain: false)
        let replays = (slots[slot].current?.replays ?? 0) + 1
        slots[slot].current?.replays = replays
        let final =
            slots[slot].destination.kind == .startToken || slots[slot].destination.kind == .ordinaryToken
            || slots[slot].current?.item.event == .start
        guard !final, replays <= settings.replaysMax else { return conclude(slot, .unknown) }
        // A newer item makes the replay pointless; `choose` reports it.
        guard !slots[slot].hasNewer else { return goOn(slot, again: false) }
        deferCurrent(slot, "answer lost")
        sleep(slot, milliseconds: settings.replay.delay(failures: replays, random: &random), interruptible: true, now)
    }

    private func backOff(_ pace: Verdict.Pace) -> BackOff? {
        switch pace {
        case .never, .immediately: nil
        case .throttled: settings.throttled
        case .serverError: settings.serverError
        case .configuration: settings.configuration
        }
    }

    private mutating func deferCurrent(_ slot: Int, _ reason: String) {
        slots[slot].deferCurrent(reason, &reports)
    }

    // MARK: Phases

    private mutating func flying(_ id: SendID) -> Int? {
        let slot = Int(id.rawValue & (1 << Self.slotBits - 1))
        guard slot < slots.count, slots[slot].isFlying(id.rawValue) else { return nil }
        return slot
    }

    private mutating func depart(_ slot: Int) -> SendID {
        serial += 1
        let id = serial << Self.slotBits | UInt64(slot)
        counters.sent += 1
        switch slots[slot].fly(id) {
        case true?: counters.replayed += 1
        case false?: counters.retried += 1
        case nil: break
        }
        return SendID(rawValue: id)
    }

    /// After a request: on with the next item, or idle.
    private mutating func goOn(_ slot: Int, again: Bool) {
        if slots[slot].pause() { enqueue(slot, again: again) }
    }

    private mutating func sleep(_ slot: Int, milliseconds: Int64, interruptible: Bool, _ now: Moment) {
        serial += 1
        slots[slot].phase = .resting(interruptible: interruptible)
        resting.insert(slot, key: now.bootMilliseconds + milliseconds, order: serial, positions: &positions)
    }

    /// Something new waits in the lane.
    private mutating func wake(_ slot: Int) {
        switch slots[slot].phase {
        case .idle:
            unlinkIdle(slot)
            enqueue(slot, again: false)
        case .resting(interruptible: true):
            resting.remove(slot, positions: &positions)
            enqueue(slot, again: false)
        case .ready, .flying, .resting(interruptible: false): break
        }
    }

    private mutating func enqueue(_ slot: Int, again: Bool) {
        slots[slot].phase = .ready
        let outlet = Outlet(slots[slot].destination).index
        while ready.count <= outlet { ready.append(ReadyQueue()) }
        if again {
            ready[outlet].again.append(Int32(slot))
        } else {
            ready[outlet].first.append(Int32(slot))
        }
    }

    private mutating func nextReady(_ outlet: Int) -> Int? {
        (ready[outlet].again.removeFirst() ?? ready[outlet].first.removeFirst()).map(Int.init)
    }

    private mutating func flush(_ effects: inout [LaneEffect]) {
        guard !reports.isEmpty else { return }
        for report in reports { emit(report, &effects) }
        reports.removeAll(keepingCapacity: true)
    }

    private mutating func emit(_ report: LaneReport, _ effects: inout [LaneEffect]) {
        switch report.outcome {
        case .superseded: counters.superseded += 1
        case .expired: counters.expired += 1
        case .stale: counters.stale += 1
        case .overloaded: counters.overloaded += 1
        case .accepted, .failed, .gone, .unknown, .deferred: break
        }
        effects.append(.report(report))
    }

    private mutating func reject(
        _ item: PushItem, _ destination: Destination, _ outcome: LaneReport.Outcome, _ effects: inout [LaneEffect]
    ) {
        let report = LaneReport(
            destination: destination, ticket: item.ticket, sequence: item.sequence, outcome: outcome,
            mayHaveArrived: outcome == .overloaded && item.quiet)
        emit(report, &effects)
    }

    // MARK: Slots and the idle list

    private mutating func slot(for destination: Destination, ticket: UInt64) -> Int? {
        let key = Lane.Key(destination, ticket: ticket)
        if let slot = index[key] { return Int(slot) }
        if index.count >= settings.lanesMax {
            guard idleHead >= 0 else { return nil }
            counters.evicted += 1
            forget(Int(idleHead))
        }
        let lane = Lane(key: key, ticket: ticket)
        let slot: Int
        if let reused = free.popLast() {
            slot = Int(reused)
            slots[slot] = lane
        } else {
            slot = slots.count
            slots.append(lane)
            positions.append(SlotHeap.nowhere)
        }
        index[key] = Int32(slot)
        // A new lane starts in the idle list like any lane without work; `wake` takes it out.
        appendIdle(slot)
        return slot
    }

    private mutating func forget(_ slot: Int) {
        unlinkIdle(slot)
        index[slots[slot].key] = nil
        free.append(Int32(slot))
    }

    private mutating func rest(_ slot: Int, ifIdleAt now: Moment) {
        guard slots[slot].isIdle else { return }
        unlinkIdle(slot)
        linkIdle(slot, now)
    }

    private mutating func linkIdle(_ slot: Int, _ now: Moment) {
        // The list is in the order of time, also when a reading goes backwards.
        latest = max(latest, now.bootMilliseconds)
        appendIdle(slot)
    }

    private mutating func appendIdle(_ slot: Int) {
        slots[slot].idleSince = latest
        slots[slot].previousIdle = idleTail
        slots[slot].nextIdle = -1
        if idleTail >= 0 { slots[Int(idleTail)].nextIdle = Int32(slot) } else { idleHead = Int32(slot) }
        idleTail = Int32(slot)
    }

    /// Takes a lane out of the idle list; does nothing for one that is not in it.
    private mutating func unlinkIdle(_ slot: Int) {
        let previous = slots[slot].previousIdle
        let next = slots[slot].nextIdle
        guard previous >= 0 || idleHead == Int32(slot) else { return }
        if previous >= 0 { slots[Int(previous)].nextIdle = next } else { idleHead = next }
        if next >= 0 { slots[Int(next)].previousIdle = previous } else { idleTail = previous }
        slots[slot].previousIdle = -1
        slots[slot].nextIdle = -1
    }
}
