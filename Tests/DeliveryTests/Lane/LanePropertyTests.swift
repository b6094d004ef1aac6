import LiveActivity
import Testing

@testable import Delivery

/// A core and an APNs around one table: offers at random, answers at random, and checks every promise at every step.
struct LaneWorld {
    struct Version: Hashable {
        var destination: Destination
        var ticket: UInt64
        var sequence: UInt64
    }

    struct Flight {
        var id: SendID
        var version: Version
        var item: PushItem
    }

    struct Lane {
        var lastOffered: UInt64 = 0
        var lastSent: UInt64 = 0
        var end: UInt64?
        var open: [UInt64: PushItem] = [:]
        var lastOutcome: [UInt64: LaneReport.Outcome] = [:]
        var mayHaveRung: Set<UInt64> = []
        var retry: UInt64?
    }

    var table: LaneTable
    var random: SplitMix64
    var now = moment(1_000_000)
    var destinations: [Destination]
    var lanes: [Destination: Lane] = [:]
    var flights: [Flight] = []
    var effects: [LaneEffect] = []
    var problems: [String] = []
    var accepted = 0
    /// An `end` comes once in so many events; few of them make long lives.
    var endChance: Int64 = 1_000_000

    init(seed: UInt64, destinations count: Int) {
        var settings = LaneSettings()
        settings.serverError = BackOff(baseMilliseconds: 500, maxMilliseconds: 4_000)
        table = LaneTable(settings: settings, seed: seed)
        random = SplitMix64(seed: seed ^ 0xABCD)
        destinations = (0..<count).map { channel($0) }
        for destination in destinations { lanes[destination] = Lane() }
    }

    mutating func fail(_ text: String) {
        if problems.count < 10 { problems.append(text) }
    }

    // MARK: The core

    mutating func offerSomething() {
        guard let destination = random.pick(destinations), lanes[destination]!.end == nil else { return }
        let event: EventKind = random.once(in: endChance) ? .end : .update
        let expires = random.once(in: 10) ? now.wallMilliseconds + random.below(3_000) : nil
        offer(event, important: random.once(in: 5), expiresAt: expires, destination)
    }

    mutating func offer(
        _ event: EventKind, important: Bool, expiresAt: Int64?, quiet: Bool = false, _ destination: Destination
    ) {
        let sequence = lanes[destination]!.lastOffered + 1 + UInt64(random.below(2))
        let new = item(sequence, event, important: important, quiet: quiet, at: now, expiresAt: expiresAt)
        lanes[destination]!.lastOffered = sequence
        if event == .end { lanes[destination]!.end = sequence }
        lanes[destination]!.open[sequence] = new
        table.offer(new, to: destination, now: now, into: &effects)
        // The same version again counts as the same.
        if random.once(in: 10) { table.offer(new, to: destination, now: now, into: &effects) }
        look()
    }

    // MARK: APNs

    mutating func dispatch() {
        table.dispatch(
            Outlet(app: 0, broadcast: true), atMost: Int(random.below(6)), now: now, into: &effects)
        look()
    }

    mutating func answerSomething(kindly: Bool) {
        guard !flights.isEmpty else { return }
        let flight = flights.remove(at: Int(random.below(Int64(flights.count))))
        let draw = kindly ? 99 : random.below(20)
        lanes[flight.version.destination]!.retry = flight.version.sequence
        switch draw {
        case 0..<2: table.failed(flight.id, .unprocessed, now: now, into: &effects)
        case 2..<4:
            noteArrival(flight)
            table.failed(flight.id, .unknown, now: now, into: &effects)
        case 4: answer(flight, 429, "TooManyRequests")
        case 5: answer(flight, 503, "ServiceUnavailable")
        case 6: answer(flight, 403, "ExpiredProviderToken")
        case 7: answer(flight, 400, "PayloadEmpty")
        default:
            noteArrival(flight)
            accepted += 1
            answer(flight, 200, nil)
        }
        // A second answer, or one for a request that never was, changes nothing.
        if random.once(in: 10) { table.failed(flight.id, .unknown, now: now, into: &effects) }
        if random.once(in: 10) {
            table.answered(SendID(rawValue: random.next()), verdict(200), now: now, into: &effects)
        }
        look()
    }

    private mutating func answer(_ flight: Flight, _ status: UInt16, _ reason: String?) {
        table.answered(flight.id, verdict(status, reason), now: now, into: &effects)
    }

    private mutating func noteArrival(_ flight: Flight) {
        if !flight.item.quiet { lanes[flight.version.destination]!.mayHaveRung.insert(flight.version.sequence) }
    }

    mutating func passTime(_ milliseconds: Int64) {
        now = now.advanced(byMilliseconds: milliseconds)
        table.tick(now: now, into: &effects)
        look()
    }

    // MARK: Checks

    mutating func look() {
        let batch = effects
        effects.removeAll()
        for effect in batch {
            switch effect {
            case .send(let id, let destination, let item): check(id, destination, item)
            case .report(let report): check(report)
            }
        }
    }

    private mutating func check(_ id: SendID, _ destination: Destination, _ item: PushItem) {
        let lane = lanes[destination]!
        if flights.contains(where: { $0.version.destination == destination }) { fail("two in flight") }
        if item.sequence < lane.lastSent { fail("\(item.sequence) after \(lane.lastSent)") }
        if item.sequence == lane.lastSent, lane.retry != item.sequence { fail("\(item.sequence) sent again unasked") }
        if item.event != .end, let end = lane.end, item.sequence < end { fail("\(item.sequence) after end \(end)") }
        if !item.quiet, lane.mayHaveRung.contains(item.sequence) { fail("\(item.sequence) rings twice") }
        if item.isExpired(now) { fail("expired \(item.sequence) sent") }
        if item.isStale(now, 10_000) { fail("stale \(item.sequence) sent") }
        if lane.open[item.sequence] == nil { fail("\(item.sequence) sent after its final report") }
        lanes[destination]!.lastSent = item.sequence
        let version = Version(destination: destination, ticket: item.ticket, sequence: item.sequence)
        flights.append(Flight(id: id, version: version, item: item))
    }

    private mutating func check(_ report: LaneReport) {
        guard report.isFinal else { return }
        guard let item = lanes[report.destination]!.open.removeValue(forKey: report.sequence) else {
            return fail("second final report of \(report.sequence): \(report.outcome)")
        }
        lanes[report.destination]!.lastOutcome[report.sequence] = report.outcome
        let lane = lanes[report.destination]!
        if report.outcome == .superseded { checkSuperseded(item, lane) }
        if report.outcome == .expired, !item.isExpired(now) { fail("\(item.sequence) expired too early") }
        if lane.mayHaveRung.contains(item.sequence), !report.mayHaveArrived, report.outcome == .stale {
            fail("\(item.sequence) may have rung and nobody says so")
        }
        restamp(item, report)
    }

    private mutating func checkSuperseded(_ item: PushItem, _ lane: Lane) {
        if item.sequence == lane.lastOffered { fail("the newest \(item.sequence) superseded") }
        guard item.important, !(item.sequence < lane.end ?? 0) else { return }
        let older = lane.open.values.contains { $0.important && $0.sequence < item.sequence }
        if !older { fail("important \(item.sequence) superseded without an older one") }
    }

    /// What the core does with a stale record: a new version with a fresh stamp, quiet if it may have rung.
    private mutating func restamp(_ item: PushItem, _ report: LaneReport) {
        guard report.outcome == .stale else { return }
        let ended = lanes[report.destination]!.end
        guard ended == nil || item.event == .end else { return }
        offer(
            item.event, important: item.important, expiresAt: item.expiresAtMilliseconds,
            quiet: item.quiet || report.mayHaveArrived, report.destination)
    }

    /// Input has stopped and APNs answers: everything must come to rest with the newest sent.
    mutating func settle() {
        for _ in 0..<20_000 {
            dispatch()
            answerSomething(kindly: true)
            if flights.isEmpty, table.readyCount(Outlet(app: 0, broadcast: true)) == 0 {
                guard let deadline = table.nextDeadline else { break }
                passTime(max(1, deadline - now.bootMilliseconds))
            }
        }
        for destination in destinations {
            let lane = lanes[destination]!
            if !lane.open.isEmpty { fail("never reported: \(lane.open.keys.sorted())") }
            guard lane.lastOffered > 0 else { continue }
            switch lane.lastOutcome[lane.lastOffered] {
            case .accepted, .expired, .failed, .unknown: break
            case let other: fail("the last one ended as \(String(describing: other))")
            }
        }
    }
}

@Suite struct LanePropertyTests {
    @Test(arguments: 0..<40) func everyPromiseHoldsUnderRandomTrouble(seed: Int) {
        var world = LaneWorld(seed: UInt64(seed), destinations: 1 + seed % 5)
        if seed % 3 == 0 { world.endChance = 80 }
        for _ in 0..<4_000 {
            switch world.random.below(10) {
            case 0..<2: world.offerSomething()
            case 2..<5: world.dispatch()
            case 5..<8: world.answerSomething(kindly: false)
            default: world.passTime(world.random.once(in: 20) ? 12_000 : world.random.below(700))
            }
        }
        world.settle()
        #expect(world.problems.isEmpty, "seed \(seed): \(world.problems)")
        #expect(world.table.count == 0)
        guard seed % 3 != 0 else { return }
        // The run was worth something.
        let counters = world.table.counters
        #expect(world.accepted > 100 && counters.superseded > 50)
        #expect(min(counters.stale, counters.expired, counters.replayed, counters.retried, counters.ignored) > 0)
    }

    /// Time that steps and inputs in any order: whatever happens, nothing traps and no lane has two requests out.
    @Test(arguments: 0..<20) func nonsenseDoesNotTrap(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var table = LaneTable(settings: LaneSettings(lanesMax: 5), seed: 1)
        var out: [Destination: SendID] = [:]
        for _ in 0..<2_000 {
            var effects: [LaneEffect] = []
            let now = Moment(
                wallMilliseconds: random.below(40_000), bootMilliseconds: random.below(40_000))
            let destination = channel(Int(random.below(8)))
            switch random.below(5) {
            case 0...1:
                let event = random.pick([EventKind.update, .update, .update, .end, .start])!
                var odd = item(
                    random.below(20) == 0 ? .max : UInt64(random.below(50)), event, important: random.once(in: 3),
                    ticket: UInt64(random.below(3)), at: now)
                if random.once(in: 5) { odd.expiresAtMilliseconds = random.below(60_000) - 10_000 }
                table.offer(odd, to: destination, now: now, into: &effects)
            case 2:
                table.dispatch(
                    Outlet(app: UInt16(random.below(2)), broadcast: !random.once(in: 5)),
                    atMost: Int(random.below(8)) - 1, now: now, into: &effects)
            case 3:
                let id = out[destination] ?? SendID(rawValue: random.next())
                if !random.once(in: 4) { out[destination] = nil }
                let (status, reason) =
                    random.pick(
                        [
                            (200, nil), (429, nil), (410, nil), (403, "InvalidProviderToken"), (0, "?"),
                            (503, "Shutdown"),
                        ] as [(UInt16, String?)])!
                if random.once(in: 3) {
                    table.failed(id, random.once(in: 2) ? .unknown : .unprocessed, now: now, into: &effects)
                } else {
                    table.answered(id, verdict(status, reason), now: now, into: &effects)
                }
            default: table.tick(now: now, into: &effects)
            }
            for case .send(let id, let destination, _) in effects { out[destination] = id }
            #expect(table.count <= 5)
        }
    }
}
