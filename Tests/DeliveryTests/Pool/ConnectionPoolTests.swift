import Testing

@testable import Delivery

/// One pool with a log of what it said.
struct PoolBench {
    var pool: ConnectionPool
    var effects: [PoolEffect] = []
    var now = moment(0)

    init(min: Int = 1, max: Int = 3, _ change: (inout PoolSettings) -> Void = { _ in }) {
        var settings = PoolSettings()
        settings.connectionsMin = min
        settings.connectionsMax = max
        settings.connect = BackOff(baseMilliseconds: 1_000, maxMilliseconds: 8_000)
        change(&settings)
        pool = ConnectionPool(settings: settings, seed: 3, now: moment(0))
    }

    mutating func said() -> [PoolEffect] {
        defer { effects.removeAll() }
        return effects
    }

    mutating func need(_ waiting: Int) { pool.need(waiting: waiting, now: now, into: &effects) }

    mutating func opened(_ id: UInt64, limit: Int? = 1) {
        pool.opened(connection(id), limit: limit, now: now, into: &effects)
    }

    mutating func limit(_ id: UInt64, _ limit: Int) {
        pool.peerLimit(connection(id), limit, now: now, into: &effects)
    }

    /// Starts a request on what the pool chooses.
    @discardableResult
    mutating func begin() -> UInt64? {
        guard let id = pool.choose() else { return nil }
        pool.requestStarted(id, now: now, into: &effects)
        return id.rawValue
    }

    mutating func answer(_ id: UInt64, _ status: UInt16 = 200, _ reason: String? = nil) {
        pool.requestFinished(
            connection(id), .answered(verdict(status, reason, .device)), now: now, into: &effects)
    }

    mutating func goAway(_ id: UInt64, _ reason: String? = nil, calm: Bool = false) {
        pool.goAway(connection(id), reason: reason.map { Reason($0) }, calm: calm, now: now, into: &effects)
    }

    mutating func closed(_ id: UInt64, _ cause: CloseCause = .transient) {
        pool.closed(connection(id), cause, now: now, into: &effects)
    }

    mutating func wait(_ milliseconds: Int64) {
        now = now.advanced(byMilliseconds: milliseconds)
        pool.tick(now: now, into: &effects)
    }

    /// Opens and proves connection 1 with a limit.
    mutating func ready(limit peer: Int) {
        need(1)
        opened(1)
        begin()
        answer(1)
        limit(1, peer)
        need(0)
        effects.removeAll()
    }
}

func connection(_ id: UInt64) -> ConnectionID { ConnectionID(rawValue: id) }

@Suite struct ConnectionPoolTests {
    @Test func oneStreamUntilTheFirstAnswer() {
        var bench = PoolBench(max: 1)
        #expect(bench.pool.choose() == nil && bench.pool.nextDeadline == nil)
        bench.need(10)
        #expect(bench.said() == [.connect(connection(1))])
        bench.opened(1, limit: 1_000)
        #expect(bench.begin() == 1 && bench.begin() == nil && bench.pool.room == 0)
        bench.answer(1, 403, "InvalidProviderToken")
        #expect(bench.pool.room == 1)
        bench.begin()
        bench.answer(1, 400, "BadDeviceToken")
        #expect(bench.pool.room == 500)
        bench.limit(1, 20)
        #expect(bench.pool.room == 20)
    }

    @Test func theLimitMayFallBelowWhatIsUnderWay() {
        var bench = PoolBench(max: 1)
        bench.ready(limit: 1_000)
        for _ in 0..<500 { #expect(bench.begin() == 1) }
        #expect(bench.begin() == nil)
        bench.limit(1, 1)
        for left in (1...500).reversed() {
            #expect(bench.pool.room == 0 && bench.pool.inUse == left)
            bench.answer(1)
        }
        #expect(bench.pool.room == 1)
        bench.limit(1, 0)
        #expect(bench.begin() == nil)
        bench.limit(1, -7)
        #expect(bench.begin() == nil)
        bench.limit(1, 1_000)
        #expect(bench.pool.room == 500 && bench.pool.counters.overcommitted == 0)
    }

    @Test func loadIsSpread() {
        var bench = PoolBench(min: 2, max: 2)
        bench.need(1)
        #expect(bench.said() == [.connect(connection(1)), .connect(connection(2))])
        for id in 1...2 as ClosedRange<UInt64> {
            bench.opened(id, limit: 100)
            bench.begin()
            bench.answer(id)
        }
        #expect((0..<4).map { _ in bench.begin() } == [1, 2, 1, 2])
    }

    @Test func itGrowsOneByOneAsLongAsRequestsWait() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.need(11)
        bench.need(500)
        #expect(bench.said() == [.connect(connection(2))])
        bench.opened(2, limit: nil)
        // The new one has one stream only: what it can really carry is not known before its first answer.
        bench.need(500)
        #expect(bench.said().isEmpty)
        bench.pool.requestStarted(connection(2), now: bench.now, into: &bench.effects)
        bench.answer(2)
        #expect(bench.said().isEmpty, "without SETTINGS it may now carry 500")
        bench.limit(2, 10)
        #expect(bench.said() == [.connect(connection(3))])
        bench.opened(3, limit: 0)
        bench.need(500)
        #expect(bench.said().isEmpty && bench.pool.liveCount == 3)
    }

    @Test func goAwayLeavesAtOnceAndIsReplacedAtOnce() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.begin()
        bench.begin()
        bench.goAway(1)
        #expect(bench.said() == [.connect(connection(2))])
        #expect(bench.pool.choose() == nil)
        bench.goAway(1)
        #expect(bench.pool.counters.ignored == 1)
        bench.answer(1)
        #expect(bench.said().isEmpty)
        bench.answer(1)
        #expect(bench.said() == [.close(connection(1), .drained)])
        bench.goAway(1)
        bench.closed(1, .asked)
        #expect(bench.said().isEmpty && bench.pool.count == 1)
    }

    @Test func aDrainingConnectionHasADeadline() {
        var bench = PoolBench { $0.pingAfterSilenceMilliseconds = 100_000 }
        bench.ready(limit: 10)
        bench.begin()
        bench.goAway(1)
        bench.opened(2)
        _ = bench.said()
        #expect(bench.pool.nextDeadline == 15_000)
        bench.wait(15_000)
        #expect(bench.said() == [.close(connection(1), .drainTimeout)])
    }

    @Test func failuresToConnectBackOff() {
        var bench = PoolBench()
        bench.need(1)
        _ = bench.said()
        var waits: [Int64] = []
        for id in 1...8 as ClosedRange<UInt64> {
            bench.closed(id)
            #expect(bench.said().isEmpty)
            let wait = (bench.pool.nextDeadline ?? 0) - bench.now.bootMilliseconds
            waits.append(wait)
            bench.wait(wait - 1)
            #expect(bench.said().isEmpty)
            bench.wait(1)
            #expect(bench.said() == [.connect(connection(id + 1))])
        }
        for (wait, whole) in zip(waits, [1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000] as [Int64]) {
            #expect((whole / 2...whole).contains(wait))
        }
        // One that opens and ends before its first answer is no better than one that did not open.
        bench.opened(9)
        bench.goAway(9)
        #expect(bench.said() == [.close(connection(9), .drained)])
        #expect(bench.pool.counters.failedConnects == 9)
    }

    @Test func aServingConnectionThatEndsIsReplacedAtOnceButNotForEver() {
        var bench = PoolBench { $0.churn = Budget(capacity: 3, refillMillitokensPerSecond: 100) }
        bench.need(1)
        for id in 1...3 as ClosedRange<UInt64> {
            bench.opened(id)
            bench.begin()
            bench.answer(id)
            bench.closed(id)
        }
        #expect(bench.said().suffix(2) == [.connect(connection(3)), .report(.churnLimited)])
        #expect(bench.pool.nextDeadline == 10_000)
        bench.need(5)
        #expect(bench.said().isEmpty)
        bench.wait(10_000)
        #expect(bench.said() == [.connect(connection(4))])
    }

    @Test func connectTakesItsTimeOnly() {
        var bench = PoolBench()
        bench.need(1)
        bench.wait(10_000)
        #expect(bench.said() == [.connect(connection(1)), .close(connection(1), .connectTimeout)])
        bench.opened(1)
        bench.closed(1, .asked)
        #expect(bench.pool.counters.failedConnects == 1 && bench.pool.counters.ignored == 1)
    }

    @Test func silenceIsAskedAbout() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        #expect(bench.pool.nextDeadline == 60_000)
        bench.wait(60_000)
        #expect(bench.said() == [.ping(connection(1))])
        bench.wait(1_000)
        #expect(bench.said().isEmpty)
        bench.pool.pong(connection(1), now: bench.now)
        bench.begin()
        #expect(bench.pool.nextDeadline == 64_000)
        bench.wait(3_000)
        #expect(bench.said() == [.ping(connection(1))])
        bench.wait(5_000)
        #expect(bench.said() == [.close(connection(1), .silent), .connect(connection(2))])
        bench.answer(1)
        bench.pool.pong(connection(1), now: bench.now)
        bench.closed(1, .asked)
        #expect(bench.said().isEmpty && bench.pool.count == 1)
    }

    @Test func refusedCredentialsStopThePoolUntilATrialSucceeds() {
        var bench = PoolBench(min: 2)
        bench.need(5)
        bench.opened(1)
        bench.opened(2)
        _ = bench.said()
        for _ in 0..<2 {
            bench.begin()
            bench.answer(1, 403, "InvalidProviderToken")
        }
        #expect(bench.said().isEmpty)
        bench.begin()
        bench.answer(1, 403, "InvalidProviderToken")
        let said = bench.said()
        guard case .report(.credentialsRefused("InvalidProviderToken", let wait))? = said.first else {
            Issue.record("\(said)")
            return
        }
        #expect(
            said.dropFirst() == [
                .drain(connection(1)), .close(connection(1), .drained), .drain(connection(2)),
                .close(connection(2), .drained),
            ])
        bench.closed(1, .asked)
        bench.closed(2, .asked)
        #expect(bench.pool.isRefused && bench.pool.room == 0 && bench.pool.nextDeadline == wait)
        bench.need(100)
        #expect(bench.said().isEmpty)
        bench.wait(wait)
        #expect(bench.said() == [.connect(connection(3))])
        bench.opened(3, limit: 1_000)
        #expect(bench.pool.room == 1)
        bench.begin()
        bench.answer(3, 403, "InvalidProviderToken")
        guard case .report(.credentialsRefused(_, let second))? = bench.said().first else {
            Issue.record("the trial's refusal stops the pool again")
            return
        }
        #expect(second >= wait)
        bench.closed(3, .asked)
        bench.pool.credentialsChanged(now: bench.now, into: &bench.effects)
        #expect(bench.said() == [.connect(connection(4))])
        bench.opened(4)
        bench.begin()
        bench.answer(4)
        #expect(bench.said().first == .report(.credentialsAccepted))
        #expect(!bench.pool.isRefused && bench.pool.counters.refusals == 2)
    }

    @Test func aGoAwayMayRefuseTheCertificate() {
        var bench = PoolBench()
        bench.need(1)
        bench.opened(1)
        _ = bench.said()
        bench.goAway(1, "BadCertificateEnvironment")
        guard case .report(.credentialsRefused("BadCertificateEnvironment", _))? = bench.said().first else {
            Issue.record("not reported")
            return
        }
        bench.closed(1, .asked)
        #expect(bench.pool.choose() == nil && bench.pool.count == 0)

        var other = PoolBench()
        other.need(1)
        other.closed(1, .credentialsRefused)
        #expect(other.pool.isRefused)
    }

    @Test func anExpiredProviderTokenNeedsANewConnection() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.begin()
        bench.begin()
        bench.answer(1, 403, "ExpiredProviderToken")
        #expect(bench.said() == [.drain(connection(1)), .connect(connection(2))])
        bench.answer(1, 403, "ExpiredProviderToken")
        #expect(bench.said() == [.close(connection(1), .drained)])
    }

    @Test func aStormOfBadTokensCostsTrust() {
        var bench = PoolBench(max: 1)
        bench.ready(limit: 100)
        for _ in 0..<10 {
            bench.begin()
            bench.answer(1, 400, "BadDeviceToken")
        }
        #expect(bench.said() == [.report(.distrusted(connection(1)))])
        #expect(bench.pool.room == 25)
        for _ in 0..<30 {
            bench.begin()
            bench.answer(1)
        }
        #expect(bench.said() == [.report(.trusted(connection(1)))] && bench.pool.room == 100)
    }

    @Test func aPeerThatAllowsNothingIsLeftInTheEnd() {
        var bench = PoolBench(max: 1)
        bench.ready(limit: 10)
        bench.limit(1, 0)
        bench.wait(31_000)
        #expect(bench.said().isEmpty)
        bench.need(3)
        #expect(bench.pool.nextDeadline == 30_000)
        bench.wait(1)
        #expect(
            bench.said() == [.drain(connection(1)), .close(connection(1), .drained), .connect(connection(2))])
    }

    @Test func streamIdentifiersRunOut() {
        var bench = PoolBench { $0.requestsPerConnectionMax = 3 }
        bench.ready(limit: 10)
        bench.begin()
        bench.begin()
        #expect(bench.said() == [.drain(connection(1)), .connect(connection(2))])
    }

    @Test func eagernessIsAnswered() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.goAway(1, calm: true)
        #expect(bench.said() == [.close(connection(1), .drained)])
        #expect((500...1_000).contains(bench.pool.nextDeadline ?? 0))
    }

    @Test func shutDownEndsEverything() {
        var bench = PoolBench(min: 2)
        bench.need(5)
        bench.opened(1)
        bench.begin()
        _ = bench.said()
        bench.pool.shutDown(now: bench.now, into: &bench.effects)
        #expect(bench.said() == [.drain(connection(1)), .close(connection(2), .unwanted)])
        bench.answer(1)
        bench.closed(1, .asked)
        bench.closed(2, .asked)
        bench.need(9)
        #expect(bench.said() == [.close(connection(1), .drained)])
        #expect(bench.pool.count == 0 && bench.pool.nextDeadline == nil)
    }

    @Test func nonsenseIsCounted() {
        var bench = PoolBench()
        bench.opened(7)
        bench.limit(7, 3)
        bench.goAway(7)
        bench.closed(7)
        bench.answer(7)
        bench.pool.pong(connection(7), now: bench.now)
        bench.pool.requestStarted(connection(7), now: bench.now, into: &bench.effects)
        #expect(bench.pool.counters.ignored == 7 && bench.said().isEmpty)
        bench.ready(limit: 1)
        bench.opened(1, limit: 900)
        bench.answer(1)
        #expect(bench.pool.counters.ignored == 9 && bench.pool.room == 1)
        for _ in 0..<2 { bench.pool.requestStarted(connection(1), now: bench.now, into: &bench.effects) }
        #expect(bench.pool.counters.overcommitted == 1 && bench.pool.room == 0)
        bench.now = moment(-50_000)
        bench.wait(1)
        #expect(bench.said().isEmpty)
    }
}
