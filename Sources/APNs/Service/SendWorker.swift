internal import CLinux
internal import Codes
internal import Delivery
internal import HTTP2
internal import Loops

/// The work of a sending loop: Delivery's lanes and pools decide, and this carries it out over HTTP/2.
///
/// One turn reads all that came, lets the machines decide, submits what they want sent, and flushes every connection
/// once. Threads: one, the loop's; it is made and dropped there. A value, so that the hot path pays no access checks
/// of class properties.
struct SendWorker {
    private static let wakeupTag = UInt64.max
    /// Lanes whose rest is over need not be woken to the millisecond.
    private static let laneTickMilliseconds: Int64 = 10
    private static let publishMilliseconds: Int64 = 100
    /// A turn with this many requests and answers is worth its system calls without waiting for more.
    private static let fullTurn = 48

    let loop: SendLoop
    let settings: APNsSettings
    let resolver: Resolver
    let poller = Poller()
    let timeoutNanoseconds: Int64
    var identifiers = RequestIdentifiers()
    var lanes: LaneTable
    var flights = FlightTable()
    var origins: [Origin] = []
    /// Origin by app × 2 + (broadcast ? 1 : 0).
    var originOfOutlet: [Int] = []
    var links: [UInt64: Link] = [:]
    var lastTag: UInt64 = 0
    var pending: [Link] = []
    var dirty: [Link] = []
    var laneEffects: [LaneEffect] = []
    var reports: [LaneReport] = []
    var now = Moment.now()
    var nanoseconds = Clock.monotonicNanoseconds()
    /// Requests and answers of this turn.
    var turnCount = 0
    var lastDateNanoseconds: Int64 = 0
    private var ready: [Poller.Readiness] = []
    private var offers: [LaneOffer] = []
    private var commands: [SendLoop.Command] = []
    private var withdrawals: [(tickets: [UInt64], position: UInt64)] = []
    /// Offers taken in since the start.
    private var offersTaken: UInt64 = 0
    private var lastTurnCount = 0
    private var lastTurnNanoseconds: Int64 = 0
    private var laneTickedAt: Int64 = 0
    private var publishedAt: Int64 = 0
    /// Something changed that the figures do not show yet.
    var isUnpublished = true
    private var reach = Reach.idle
    private var stopDeadline: Int64?

    init(_ loop: SendLoop, contexts: [AppContext], settings: APNsSettings, resolver: Resolver) {
        self.loop = loop
        self.settings = settings
        self.resolver = resolver
        timeoutNanoseconds = settings.requestTimeoutMilliseconds * 1_000_000
        lanes = LaneTable(settings: LaneSettings(lanesMax: settings.lanesMax), seed: identifiers.nextHalves().0)
        for context in contexts { addOrigins(context) }
        poller.add(loop.thread.wakeup.descriptor, tag: Self.wakeupTag)
    }

    /// Runs until the loop is stopped.
    mutating func run(_ onReports: @Sendable ([LaneReport]) -> Void) {
        for at in origins.indices { origins[at].start(now) }
        settle()
        while !isDone {
            turn()
            handOver(onReports)
        }
        closeAll()
        handOver(onReports)
        publish()
    }

    // MARK: Turns

    private mutating func turn() {
        ready.removeAll(keepingCapacity: true)
        poller.wait(milliseconds: waitMilliseconds()) { ready.append($0) }
        gather()
        readClocks()
        turnCount = 0
        loop.thread.wakeup.clear()
        stopDeadline = loop.stopDeadlineMilliseconds.withLock { $0 }
        for readiness in ready where readiness.tag != Self.wakeupTag {
            if readiness.writable { holdBack(links[readiness.tag]) }
            read(readiness)
        }
        takeCommands()
        takeOffers()
        settle()
        tick()
        if stopDeadline == nil, loop.fence.isOpen { dispatch() }
        flush()
        confirmTokens()
        watchReach()
        if turnCount > 0 {
            lastTurnCount = turnCount
            lastTurnNanoseconds = Clock.monotonicNanoseconds()
            isUnpublished = true
        }
        if isUnpublished, now.bootMilliseconds - publishedAt >= Self.publishMilliseconds { publish() }
    }

    private mutating func readClocks() {
        now = Moment.now()
        nanoseconds = Clock.monotonicNanoseconds()
    }

    /// Under light but steady load each wake-up costs more than the request that it is for: wait a moment for others
    /// to join. The first request after a pause is never held.
    private mutating func gather() {
        guard !ready.isEmpty, lastTurnCount < Self.fullTurn, stopDeadline == nil else { return }
        let since = Clock.monotonicNanoseconds() - lastTurnNanoseconds
        let rest = settings.coalescingMicroseconds * 1000 - since
        guard rest > 0 else { return }
        var time = timespec(tv_sec: 0, tv_nsec: Int(rest))
        nanosleep(&time, nil)
    }

    private func waitMilliseconds() -> Int32 {
        var next = Int64.max
        let isOpen = loop.fence.isOpen
        func consider(_ time: Int64?) { if let time { next = min(next, max(time, 0)) } }
        consider(lanes.nextDeadline.map { max($0, laneTickedAt + Self.laneTickMilliseconds) })
        for origin in origins {
            consider(origin.pool.nextDeadline)
            guard readyCount(origin) > 0, stopDeadline == nil, isOpen else { continue }
            if origin.heldUntilMilliseconds > 0 {
                consider(origin.heldUntilMilliseconds)
            } else if origin.pool.room > 0 {
                return 0
            }
        }
        if let departure = flights.oldestDeparture {
            consider(now.bootMilliseconds + (departure + timeoutNanoseconds - nanoseconds) / 1_000_000 + 1)
        }
        if isUnpublished { consider(publishedAt + Self.publishMilliseconds) }
        consider(stopDeadline)
        guard next < .max else { return 60_000 }
        return Int32(min(max(next - Clock.bootMilliseconds(), 0), 60_000))
    }

    private mutating func takeOffers() {
        loop.offers.take(into: &offers)
        turnCount += offers.count
        for offer in offers {
            runWithdrawals(upTo: offersTaken)
            offersTaken += 1
            guard Int(offer.destination.app) * 2 < originOfOutlet.count else {
                reports.append(
                    LaneReport(
                        destination: offer.destination, ticket: offer.item.ticket, sequence: offer.item.sequence,
                        outcome: .failed(status: 0, reason: "unknown app")))
                continue
            }
            lanes.offer(offer.item, to: offer.destination, now: now, into: &laneEffects)
        }
        offers.removeAll(keepingCapacity: true)
        runWithdrawals(upTo: offersTaken)
    }

    private mutating func runWithdrawals(upTo position: UInt64) {
        while let first = withdrawals.first, first.position <= position {
            withdrawals.removeFirst()
            lanes.withdraw(tickets: first.tickets, now: now)
        }
    }

    private mutating func takeCommands() {
        loop.commands.take(into: &commands)
        for command in commands {
            switch command {
            case .resolved(let origin, let id, let result): resolved(origin, id, result)
            case .withdraw(let tickets, let position): withdrawals.append((tickets, position))
            }
        }
    }

    private mutating func tick() {
        if let deadline = lanes.nextDeadline, deadline <= now.bootMilliseconds {
            lanes.tick(now: now, into: &laneEffects)
            laneTickedAt = now.bootMilliseconds
        }
        for at in origins.indices {
            guard let deadline = origins[at].pool.nextDeadline, deadline <= now.bootMilliseconds else { continue }
            origins[at].tick(now)
        }
        expire()
        settle()
    }

    /// Carries out what the machines decided, until they want nothing more.
    mutating func settle() {
        while true {
            if let link = pending.popLast() {
                link.isPending = false
                handle(link)
            } else if !laneEffects.isEmpty {
                runLaneEffects()
            } else if let index = origins.firstIndex(where: { !$0.effects.isEmpty }) {
                runPoolEffects(index)
            } else {
                return
            }
        }
    }

    private mutating func flush() {
        while let link = dirty.popLast() {
            link.isDirty = false
            holdBack(link)
            link.connection.flush(into: &link.events)
            note(link)
            watch(link)
            settle()
        }
    }

    private mutating func confirmTokens() {
        for at in origins.indices where origins[at].believedGeneration > 0 {
            origins[at].context.tokens.accepted(generation: origins[at].believedGeneration)
            origins[at].believedGeneration = 0
        }
    }

    private mutating func watchReach() {
        let now = origins.reduce(Reach.idle) { $0.merged(with: $1.pool.reach) }
        guard now != reach else { return }
        reach = now
        loop.reach.withLock { $0 = now }
    }

    private mutating func handOver(_ onReports: @Sendable ([LaneReport]) -> Void) {
        guard !reports.isEmpty else { return }
        let batch = reports
        reports = []
        reports.reserveCapacity(min(batch.count, 4096))
        onReports(batch)
    }

    // MARK: The end

    private var isDone: Bool {
        guard let stopDeadline else { return false }
        return flights.count == 0 || now.bootMilliseconds >= stopDeadline
    }

    private mutating func closeAll() {
        for at in origins.indices { origins[at].shutDown(now) }
        settle()
        for link in links.values.sorted(by: { $0.tag < $1.tag }) {
            end(link)
        }
        settle()
    }

    // MARK: Figures

    private mutating func publish() {
        isUnpublished = false
        publishedAt = now.bootMilliseconds
        var figures = LoopFigures()
        figures.lanes = lanes.count
        figures.counters = lanes.counters
        figures.inFlight = flights.count
        figures.apps = origins.map { origin in
            LoopFigures.App(
                index: origin.context.index, figures: origin.figures, pool: origin.pool.counters,
                connections: origin.links.filter(\.isOpen).map {
                    APNsStatistics.Connection(
                        streamsInUse: $0.connection.openStreams, streamsAllowed: origin.pool.allowed($0.id) ?? 0)
                })
        }
        loop.figures.withLock { $0 = figures }
    }
}
