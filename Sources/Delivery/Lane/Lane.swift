internal import LiveActivity

/// What one lane holds: at most one request under way and two waiting places. Which item goes where is decided
/// here; when it may go is the table's business.
struct Lane: Sendable {
    /// What a lane is found by. Starts of different activities on one push-to-start token have nothing to do with
    /// each other: conflating them would lose one, so each has a lane of its own.
    struct Key: Hashable, Sendable {
        var destination: Destination
        var startTicket: UInt64

        init(_ destination: Destination, ticket: UInt64) {
            self.destination = destination
            startTicket = destination.kind == .channel || destination.kind == .token ? 0 : ticket
        }
    }

    /// The item of the request under way, kept until its outcome is known for good.
    struct Current: Sendable {
        var item: PushItem
        var unprocessed = 0
        var replays = 0
        /// An attempt's answer was lost: the next attempts are quiet.
        var mayHaveArrived = false
        var sends = 0
        /// The key is no longer this node's: nothing is said of the request, and nothing follows it.
        var isWithdrawn = false
    }

    /// Where the lane is in its cycle.
    enum Phase: Sendable {
        /// Nothing to do; in the table's idle list.
        case idle
        /// In a ready queue.
        case ready
        /// A request is out.
        case flying
        /// In the heap until `wakeMilliseconds`; whether a newer item may end the rest.
        case resting(interruptible: Bool)
    }

    let key: Key
    var phase = Phase.idle
    var flight: UInt64 = 0
    /// Refusals in a row that asked the lane to wait; reset by anything else.
    var failures = 0

    var current: Current?
    /// The oldest unexpired important item that a newer one would have replaced.
    var important: PushItem?
    var newest: PushItem?

    /// The key whose versions the fences below compare.
    private(set) var ticket: UInt64
    private(set) var offered: UInt64?
    private(set) var sent: UInt64?
    /// Highest version that the device may have: nothing up to it may ring again.
    private(set) var arrived: UInt64?
    private(set) var ended = false

    // Links of the table's idle list; -1 is none.
    var previousIdle: Int32 = -1
    var nextIdle: Int32 = -1
    var idleSince: Int64 = 0

    init(key: Key, ticket: UInt64) {
        self.key = key
        self.ticket = ticket
    }

    var destination: Destination { key.destination }
    var hasWaiting: Bool { important != nil || newest != nil }

    // Mutating although they change little: so they work on the lane in the table instead of on a copy of it.

    /// Ends whatever phase the lane is in; returns whether it has work left.
    mutating func pause() -> Bool {
        phase = .idle
        if case .some = current { return true }
        if case .some = newest { return true }
        if case .some = important { return true }
        return false
    }

    /// Marks the request as gone out; returns how it counts: nil for a first attempt, else whether it is a replay.
    mutating func fly(_ flight: UInt64) -> Bool? {
        phase = .flying
        self.flight = flight
        guard let attempts = current?.sends, attempts > 1 else { return nil }
        return current?.mayHaveArrived
    }

    /// Whether this is the request that is out.
    mutating func isFlying(_ flight: UInt64) -> Bool {
        guard self.flight == flight, case .flying = phase else { return false }
        return true
    }

    var isIdle: Bool {
        if case .idle = phase { return true }
        return false
    }

    /// Forgets what waits of these tickets, and that their versions ever passed here: whoever has the key next may
    /// count anew. A request that is out goes on holding the lane. Returns how many items that were.
    mutating func withdraw(_ tickets: Set<UInt64>) -> Int {
        var count = 0
        if tickets.contains(ticket) {
            offered = nil
            sent = nil
            arrived = nil
            ended = false
        }
        if let waiting = important, tickets.contains(waiting.ticket) {
            important = nil
            count += 1
        }
        if let waiting = newest, tickets.contains(waiting.ticket) {
            newest = nil
            count += 1
        }
        if let held = current, tickets.contains(held.item.ticket) {
            if !held.isWithdrawn { count += 1 }
            if case .flying = phase { current?.isWithdrawn = true } else { current = nil }
        }
        return count
    }

    /// The request under way, if any, is of a key that has left.
    var isWithdrawn: Bool { current?.isWithdrawn == true }

    var hasWork: Bool { current != nil || hasWaiting }

    /// Whether something waits that makes the current item old news. The late `end` of another key does not.
    var hasNewer: Bool {
        newest != nil || important != nil && important?.ticket == current?.item.ticket
    }

    // MARK: Offering

    /// What became of an offered item.
    enum Placement: Hashable {
        case placed
        /// The same version is waiting or under way already.
        case repeated
        /// A newer version or an end makes it pointless.
        case outdated
    }

    /// Takes an unexpired item in. Items that lose their place are appended to `reports`.
    mutating func place(_ item: PushItem, now: Moment, into reports: inout [LaneReport]) -> Placement {
        if item.ticket != ticket {
            if item.event == .end, hasWork { return placeForeignEnd(item, &reports) }
            adopt(item.ticket, &reports)
        }
        if holds(item) { return .repeated }
        if ended, item.event != .end { return .outdated }
        if let offered, item.sequence < offered { return placeLate(item, now: now, &reports) }
        offered = item.sequence
        if item.event == .end {
            ended = true
            clearWaiting(ofTicket: item.ticket, .superseded, &reports)
        }
        displaceNewest(now: now, &reports)
        newest = item
        return .placed
    }

    private func holds(_ item: PushItem) -> Bool {
        func same(_ other: PushItem?) -> Bool {
            guard let other else { return false }
            return other.ticket == item.ticket && other.sequence == item.sequence
        }
        return current?.isWithdrawn == false && same(current?.item) || same(important) || same(newest)
    }

    /// A version below the newest one: only an important one that still comes before everything sent may wait.
    private mutating func placeLate(
        _ item: PushItem, now: Moment, _ reports: inout [LaneReport]
    ) -> Placement {
        guard item.important, !ended, newest != nil else { return .outdated }
        if let sent, item.sequence <= sent { return .outdated }
        expireImportant(now: now, &reports)
        guard important == nil else { return .outdated }
        important = item
        return .placed
    }

    /// The late `end` of a key that used this destination before: it goes first and fences nothing of the present key.
    private mutating func placeForeignEnd(_ item: PushItem, _ reports: inout [LaneReport]) -> Placement {
        if holds(item) { return .repeated }
        if let old = important { reports.append(report(old, .superseded)) }
        important = item
        return .placed
    }

    /// Another key takes the destination over (a name started again on its channel). What waits of the old key
    /// yields to the new one like any older version, except its `end`, which still goes out first.
    private mutating func adopt(_ ticket: UInt64, _ reports: inout [LaneReport]) {
        if let waiting = newest, waiting.event == .end {
            if let old = important { reports.append(report(old, .superseded)) }
            important = waiting
            newest = nil
        }
        self.ticket = ticket
        offered = nil
        sent = nil
        arrived = nil
        ended = false
    }

    private mutating func displaceNewest(now: Moment, _ reports: inout [LaneReport]) {
        guard let old = newest else { return }
        newest = nil
        expireImportant(now: now, &reports)
        if old.important, important == nil {
            important = old
        } else {
            reports.append(report(old, .superseded))
        }
    }

    private mutating func expireImportant(now: Moment, _ reports: inout [LaneReport]) {
        guard let old = important, old.isExpired(now) else { return }
        important = nil
        reports.append(report(old, .expired))
    }

    /// Empties the waiting places, important first; of one key only, or of all.
    mutating func clearWaiting(
        ofTicket only: UInt64? = nil, _ outcome: LaneReport.Outcome, _ reports: inout [LaneReport]
    ) {
        if let old = important, only == nil || old.ticket == only {
            important = nil
            reports.append(report(old, outcome))
        }
        if let old = newest, only == nil || old.ticket == only {
            newest = nil
            reports.append(report(old, outcome))
        }
    }

    // MARK: Sending

    /// Chooses what goes out now and makes it the current item; nil when nothing is left to send.
    mutating func choose(
        now: Moment, stampAgeMaxMilliseconds: Int64, into reports: inout [LaneReport]
    ) -> PushItem? {
        dropExpired(now: now, &reports)
        yieldToNewer(&reports)
        giveBackStale(now: now, stampAgeMaxMilliseconds, &reports)
        if current == nil {
            if let item = important {
                important = nil
                current = Current(item: item)
            } else if let item = newest {
                newest = nil
                current = Current(item: item)
            }
        }
        return depart()
    }

    private mutating func dropExpired(now: Moment, _ reports: inout [LaneReport]) {
        if let held = current, held.item.isExpired(now) {
            // Its outcome is not known, which says more than that its time is over.
            finish(held.mayHaveArrived ? .unknown : .expired, &reports)
        }
        expireImportant(now: now, &reports)
        if let old = newest, old.isExpired(now) {
            newest = nil
            reports.append(report(old, .expired))
        }
    }

    /// A retry gives way to what is newer, unless it is important or an `end` and certainly has not arrived.
    private mutating func yieldToNewer(_ reports: inout [LaneReport]) {
        guard let held = current, hasNewer else { return }
        let passed = newest?.event == .end && newest?.ticket == held.item.ticket
        if held.mayHaveArrived {
            // An end that may have arrived still has to arrive for certain, whatever another key wants.
            guard held.item.event != .end || passed else { return }
            finish(.unknown, &reports)
        } else if passed || !(held.item.important || held.item.event == .end) {
            finish(.superseded, &reports)
        }
    }

    /// When the first of them is stale, all go back, so that the core can stamp them anew in their order.
    private mutating func giveBackStale(now: Moment, _ ageMax: Int64, _ reports: inout [LaneReport]) {
        guard let first = current?.item ?? important ?? newest, first.isStale(now, ageMax) else { return }
        if current != nil { finish(.stale, &reports) }
        clearWaiting(.stale, &reports)
    }

    private mutating func depart() -> PushItem? {
        guard var held = current else { return nil }
        held.sends += 1
        if held.mayHaveArrived { held.item.quiet = true }
        if held.item.ticket == ticket {
            if let arrived, held.item.sequence <= arrived { held.item.quiet = true }
            sent = max(sent ?? 0, held.item.sequence)
        }
        current = held
        return held.item
    }

    // MARK: Outcomes

    /// Notes that the device may have the current item.
    mutating func noteArrival(certain: Bool) {
        guard let item = current?.item, current?.isWithdrawn == false else { return }
        if item.ticket == ticket { arrived = max(arrived ?? 0, item.sequence) }
        if !certain { current?.mayHaveArrived = true }
    }

    /// Ends the current item.
    mutating func finish(_ outcome: LaneReport.Outcome, _ reports: inout [LaneReport]) {
        guard let held = current else { return }
        current = nil
        guard !held.isWithdrawn else { return }
        reports.append(report(held.item, outcome, mayHaveArrived: held.mayHaveArrived))
    }

    /// Says that the current item waits to be tried again.
    func deferCurrent(_ reason: String, _ reports: inout [LaneReport]) {
        guard let held = current else { return }
        reports.append(report(held.item, .deferred(reason: reason), mayHaveArrived: held.mayHaveArrived))
    }

    /// What is to be offered again stays quiet when it was: an earlier version of it may have rung.
    func report(_ item: PushItem, _ outcome: LaneReport.Outcome, mayHaveArrived: Bool = false) -> LaneReport {
        let comesAgain = outcome == .stale || outcome == .overloaded
        return LaneReport(
            destination: destination, ticket: item.ticket, sequence: item.sequence, outcome: outcome,
            mayHaveArrived: mayHaveArrived || comesAgain && item.quiet)
    }
}

extension PushItem {
    func isExpired(_ now: Moment) -> Bool {
        guard let expiresAtMilliseconds else { return false }
        return expiresAtMilliseconds <= now.wallMilliseconds
    }

    func isStale(_ now: Moment, _ ageMaxMilliseconds: Int64) -> Bool {
        let (milliseconds, overflow) = stampSeconds.multipliedReportingOverflow(by: 1000)
        guard !overflow else { return stampSeconds < 0 }
        let (age, ageOverflow) = now.wallMilliseconds.subtractingReportingOverflow(milliseconds)
        return ageOverflow ? milliseconds < 0 : age > ageMaxMilliseconds
    }
}
