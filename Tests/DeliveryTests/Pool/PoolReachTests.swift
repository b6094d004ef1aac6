import Testing

@testable import Delivery

/// Whether APNs is out of reach.
@Suite struct PoolReachTests {
    @Test func nothingIsLostBeforeAConnectionIsWanted() {
        let bench = PoolBench(min: 0)
        #expect(bench.pool.reach == .idle)
    }

    @Test func theFirstConnectionIsMissedFromItsBeginning() {
        var bench = PoolBench()
        bench.wait(500)
        bench.need(1)
        #expect(bench.pool.reach == .lost(since: 500))
        bench.opened(1)
        #expect(bench.pool.reach == .reached)
    }

    @Test func aLossCountsFromTheLastConnectionThroughAllAttempts() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.wait(1_000)
        bench.closed(1)
        #expect(bench.pool.reach == .lost(since: 1_000))
        for id in 2...5 as ClosedRange<UInt64> {
            bench.closed(id)
            bench.wait(10_000)
        }
        #expect(bench.pool.reach == .lost(since: 1_000))
        bench.opened(6)
        #expect(bench.pool.reach == .reached)
    }

    @Test func aSilentConnectionIsLostWhenItIsGivenUp() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.begin()
        bench.wait(3_000)
        #expect(bench.said().contains(.ping(connection(1))))
        #expect(bench.pool.reach == .reached)
        bench.wait(5_000)
        #expect(bench.said().contains(.close(connection(1), .silent)))
        bench.closed(1)
        #expect(bench.pool.reach == .lost(since: 3_000), "when it was asked")
    }

    @Test func aConnectionThatOnlyFinishesStillReaches() {
        var bench = PoolBench()
        bench.ready(limit: 10)
        bench.begin()
        bench.goAway(1)
        #expect(bench.pool.reach == .reached)
    }

    @Test func refusedCredentialsAreNoLoss() {
        var bench = PoolBench()
        bench.need(1)
        bench.closed(1, .credentialsRefused)
        #expect(bench.pool.reach == .idle)
    }

    @Test func anIdlePoolThatWantsNoConnectionHasLostNone() {
        var bench = PoolBench(min: 0)
        bench.ready(limit: 10)
        bench.closed(1)
        #expect(bench.pool.reach == .idle)
    }

    @Test func onePoolThatReachesIsEnough() {
        let lost = Reach.lost(since: 5)
        #expect(lost.merged(with: .reached) == .reached && Reach.reached.merged(with: lost) == .reached)
        #expect(lost.merged(with: .idle) == lost && Reach.idle.merged(with: lost) == lost)
        #expect(lost.merged(with: .lost(since: 9)) == .lost(since: 9))
        #expect(Reach.idle.merged(with: .idle) == .idle)
    }
}
