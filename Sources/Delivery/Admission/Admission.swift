/// Admit: decides when each key may send. Runs on the core thread.
///
/// A key asks with `request` and is released at most once per key interval, when the budget of its channel and that
/// of its app allow it. Within an app keys go in the order in which they became due, so none starves; urgent ones
/// may use the reserve out of turn. Nothing is ever dropped: a key that asked is released, however late. Each
/// operation is O(log n).
public struct Admission: Sendable {
    /// The knobs.
    public let settings: AdmissionSettings
    /// What happened so far.
    public private(set) var counters = AdmissionCounters()
    /// How many keys have something to send.
    public private(set) var waitingCount = 0

    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var index: [UInt64: Int32] = [:]
    private var positions: [Int32] = []
    /// Keys whose time has not come, and keys that are only remembered until their pace allows to forget them.
    private var due = SlotHeap()
    private var apps: [App] = []
    /// The app that is looked at first: one that the last release left no room for.
    private var firstApp = 0
    private var serial: UInt64 = 0
    private var clock = Int64.min

    private struct App: Sendable {
        var bucket: ReservedBucket
        var normal = SlotHeap()
        var urgent = SlotHeap()
    }

    private enum Place: Sendable { case nowhere, due, normal, urgent }

    private struct Entry: Sendable {
        var ticket: UInt64
        var account: Account
        var cost = 1
        var urgent = false
        var waiting = false
        var place = Place.nowhere
        var order: UInt64 = 0
        /// When it may go by its own budgets; its place in the queue of the app.
        var readyAt: Int64 = 0
        var notBefore: Int64?
        var releasedAt: Int64?
        var bucket: ReservedBucket?
        /// Causes counted already for this release, one bit each.
        var counted: UInt8 = 0
        var cause: Deferral?
    }

    /// Makes an Admit with full budgets.
    public init(settings: AdmissionSettings = AdmissionSettings()) {
        self.settings = settings
    }

    /// Keys in memory, waiting or only remembered.
    public var count: Int { index.count }

    /// Whether a key waits to be released.
    public func isWaiting(_ ticket: UInt64) -> Bool {
        index[ticket].map { entries[Int($0)].waiting } ?? false
    }

    /// What a waiting key was last held up by; nil when it does not wait or was not held up yet.
    public func deferral(of ticket: UInt64) -> Deferral? {
        index[ticket].flatMap { entries[Int($0)].waiting ? entries[Int($0)].cause : nil }
    }

    /// When `release` is due, in milliseconds since boot.
    public var nextDeadline: Int64? {
        var next = due.first?.key
        for app in apps {
            guard let time = deadline(of: app) else { continue }
            next = next.map { min($0, time) } ?? time
        }
        return next
    }

    // MARK: Inputs

    /// Says that a key has something to send, or that what it has to send has changed. Idempotent; keeps the key's
    /// turn.
    /// - Parameters:
    ///   - cost: requests that its release means: tokens of its audience, plus one for a channel.
    ///   - urgent: whether it may use the reserve (an `end` or an important event waits).
    ///   - notBeforeMilliseconds: the producer's `not_before`, in milliseconds since 1970.
    /// - Returns: false when too many keys are held; ask again later.
    @discardableResult
    public mutating func request(
        ticket: UInt64, account: Account, cost: Int, urgent: Bool, notBeforeMilliseconds: Int64? = nil, now: Moment
    ) -> Bool {
        advance(now)
        guard let slot = slot(for: ticket, account) else {
            counters.overloaded += 1
            return false
        }
        if entries[slot].account != account { move(slot, to: account) }
        let wasWaiting = entries[slot].waiting
        let unchanged =
            wasWaiting && entries[slot].urgent == urgent && entries[slot].notBefore == notBeforeMilliseconds
        entries[slot].cost = max(cost, 0)
        if unchanged, entries[slot].place != .nowhere { return true }
        entries[slot].urgent = urgent
        entries[slot].notBefore = notBeforeMilliseconds
        if !wasWaiting { begin(slot) }
        let kept = wasWaiting && entries[slot].readyAt <= clock ? entries[slot].readyAt : nil
        detach(slot)
        schedule(slot, keeping: kept, now)
        return true
    }

    /// Says that a key has nothing to send any more. Its pace is remembered.
    public mutating func withdraw(ticket: UInt64) {
        guard let found = index[ticket] else { return }
        let slot = Int(found)
        guard entries[slot].waiting else { return }
        detach(slot)
        entries[slot].waiting = false
        waitingCount -= 1
        remember(slot)
    }

    /// Appends the tickets that may send now, and debits their budgets.
    /// - Parameter atMost: how many to release; what is left over stays due at once, and the app behind the last one
    ///   goes first then.
    public mutating func release(now: Moment, atMost: Int = .max, into released: inout [UInt64]) {
        advance(now)
        takeDue(now)
        var left = atMost
        let first = firstApp
        firstApp = 0
        for place in apps.indices {
            let app = (first + place) % apps.count
            guard !(apps[app].normal.isEmpty && apps[app].urgent.isEmpty) else { continue }
            guard left > 0 else {
                firstApp = app
                return
            }
            apps[app].bucket.refill(bootMilliseconds: clock)
            while left > 0, let slot = next(app) {
                left -= 1
                released.append(entries[slot].ticket)
                settle(slot)
            }
        }
    }

    // MARK: Waiting for the key's own time

    private mutating func advance(_ now: Moment) {
        clock = max(clock, now.bootMilliseconds)
    }

    private mutating func begin(_ slot: Int) {
        serial += 1
        entries[slot].waiting = true
        entries[slot].order = serial
        entries[slot].counted = 0
        entries[slot].cause = nil
        waitingCount += 1
    }

    /// Puts a waiting, detached key where it belongs. `kept` is its turn in the queue of the app, if it had one.
    private mutating func schedule(_ slot: Int, keeping kept: Int64?, _ now: Moment) {
        let (time, cause) = ownTime(slot, now)
        guard time <= clock else {
            note(cause, slot)
            entries[slot].readyAt = time
            entries[slot].place = .due
            due.insert(slot, key: time, order: entries[slot].order, positions: &positions)
            return
        }
        entries[slot].readyAt = kept ?? clock
        enqueue(slot)
    }

    /// When a key may go as far as it alone is concerned, and what holds it up.
    private mutating func ownTime(_ slot: Int, _ now: Moment) -> (Int64, Deferral) {
        var time = clock
        var cause = Deferral.key
        if let releasedAt = entries[slot].releasedAt { time = max(time, releasedAt + settings.keyIntervalMilliseconds) }
        if entries[slot].bucket != nil {
            entries[slot].bucket!.refill(bootMilliseconds: clock)
            let available = entries[slot].bucket!.availableAt(1, urgent: entries[slot].urgent)
            if available > time { (time, cause) = (available, .channel) }
        }
        if let notBefore = entries[slot].notBefore, notBefore > now.wallMilliseconds {
            // Looked at again at least every hour, because the wall clock may be set meanwhile.
            let wait = min(notBefore - max(now.wallMilliseconds, notBefore - 3_600_000), 3_600_000)
            if clock + wait > time { (time, cause) = (clock + wait, .notBefore) }
        }
        return (time, cause)
    }

    private mutating func takeDue(_ now: Moment) {
        while let node = due.first, node.key <= clock {
            let slot = Int(node.slot)
            detach(slot)
            if entries[slot].waiting {
                schedule(slot, keeping: entries[slot].readyAt, now)
            } else {
                remember(slot)
            }
        }
    }

    // MARK: The queue of the app

    private mutating func enqueue(_ slot: Int) {
        let app = appIndex(entries[slot].account.app)
        let (key, order) = (entries[slot].readyAt, entries[slot].order)
        if entries[slot].urgent {
            entries[slot].place = .urgent
            apps[app].urgent.insert(slot, key: key, order: order, positions: &positions)
        } else {
            entries[slot].place = .normal
            apps[app].normal.insert(slot, key: key, order: order, positions: &positions)
        }
    }

    /// Takes out the next key of an app and debits its budget.
    private mutating func next(_ app: Int) -> Int? {
        guard let head = head(apps[app]) else { return nil }
        let slot = Int(head.slot)
        if apps[app].bucket.sharedHolds(entries[slot].cost) {
            apps[app].bucket.takeShared(entries[slot].cost)
            return slot
        }
        note(.app, slot)
        guard let urgent = apps[app].urgent.first.map({ Int($0.slot) }) else { return nil }
        guard apps[app].bucket.reserveHolds(entries[urgent].cost) else {
            note(.app, urgent)
            return nil
        }
        apps[app].bucket.takeReserve(entries[urgent].cost)
        counters.releasedFromReserve += 1
        return urgent
    }

    private func head(_ app: App) -> SlotHeap.Node? {
        guard let urgent = app.urgent.first else { return app.normal.first }
        guard let normal = app.normal.first else { return urgent }
        return urgent.isBefore(normal) ? urgent : normal
    }

    private func deadline(of app: App) -> Int64? {
        guard let head = head(app) else { return nil }
        var time = app.bucket.availableAt(entries[Int(head.slot)].cost, urgent: false)
        if let urgent = app.urgent.first {
            time = min(time, app.bucket.availableAt(entries[Int(urgent.slot)].cost, urgent: true))
        }
        return time
    }

    private mutating func settle(_ slot: Int) {
        detach(slot)
        counters.released += 1
        if entries[slot].urgent { counters.releasedUrgent += 1 }
        entries[slot].waiting = false
        entries[slot].releasedAt = clock
        entries[slot].bucket?.refill(bootMilliseconds: clock)
        entries[slot].bucket?.take(1)
        waitingCount -= 1
        remember(slot)
    }

    private mutating func note(_ cause: Deferral, _ slot: Int) {
        entries[slot].cause = cause
        let bit: UInt8 = 1 << cause.rawValue
        guard entries[slot].counted & bit == 0 else { return }
        entries[slot].counted |= bit
        counters.count(cause)
    }

    // MARK: The table

    private mutating func slot(for ticket: UInt64, _ account: Account) -> Int? {
        if let slot = index[ticket] { return Int(slot) }
        guard index.count < settings.ticketsMax else { return nil }
        var entry = Entry(ticket: ticket, account: account)
        entry.bucket = bucket(for: account)
        let slot: Int
        if let reused = free.popLast() {
            slot = Int(reused)
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
            positions.append(SlotHeap.nowhere)
        }
        index[ticket] = Int32(slot)
        return slot
    }

    private func bucket(for account: Account) -> ReservedBucket? {
        settings.key(account.scope).map {
            ReservedBucket($0, reservePermille: settings.reservePermille, at: clock)
        }
    }

    private mutating func move(_ slot: Int, to account: Account) {
        detach(slot)
        if entries[slot].account.scope != account.scope { entries[slot].bucket = bucket(for: account) }
        entries[slot].account = account
    }

    private mutating func detach(_ slot: Int) {
        switch entries[slot].place {
        case .nowhere: return
        case .due: due.remove(slot, positions: &positions)
        case .normal: apps[Int(entries[slot].account.app)].normal.remove(slot, positions: &positions)
        case .urgent: apps[Int(entries[slot].account.app)].urgent.remove(slot, positions: &positions)
        }
        entries[slot].place = .nowhere
    }

    /// Keeps a key that does not wait until forgetting it cannot speed it up.
    private mutating func remember(_ slot: Int) {
        var until = entries[slot].releasedAt.map { $0 + settings.keyIntervalMilliseconds } ?? clock
        if let bucket = entries[slot].bucket { until = max(until, bucket.fullAt) }
        guard until > clock else {
            index[entries[slot].ticket] = nil
            free.append(Int32(slot))
            return
        }
        entries[slot].place = .due
        due.insert(slot, key: until, order: entries[slot].order, positions: &positions)
    }

    private mutating func appIndex(_ app: UInt16) -> Int {
        while apps.count <= Int(app) {
            let budget = settings.app(UInt16(apps.count))
            apps.append(
                App(bucket: ReservedBucket(budget, reservePermille: settings.reservePermille, at: clock)))
        }
        return Int(app)
    }
}
