import CLinux
import Delivery
import HTTP2
import Loops
import Testing

@testable import APNs

@Suite struct LeaseTests {
    private func leased(until deadline: Int64, _ seen: Lock<Int>) throws -> ServiceBench {
        try ServiceBench(change: { $0.leasedUntilBootMilliseconds = deadline }) { turn in
            for request in turn.requests {
                seen.withLock { $0 += 1 }
                turn.respond(request)
            }
        }
    }

    @Test func nothingLeavesWithoutALease() throws {
        let seen = Lock(0)
        let bench = try leased(until: 0, seen)
        bench.offer(0..<50)
        expectSoon("the offers are in their lanes") { bench.service.statistics().loops[0].lanes == 50 }
        for _ in 0..<20 { bench.server.each { _ in } }
        #expect(seen.withLock { $0 } == 0)
        bench.service.lease(untilBootMilliseconds: Clock.bootMilliseconds() + 60_000)
        expectSoon("all leave with the lease") { bench.acceptedCount == 50 }
        bench.service.lease(untilBootMilliseconds: Clock.bootMilliseconds() - 1)
        bench.offer(50..<60)
        expectSoon("more are in their lanes") { bench.service.statistics().loops[0].lanes == 60 }
        for _ in 0..<20 { bench.server.each { _ in } }
        #expect(seen.withLock { $0 } == 50)
        // The newest version leaves when the lease is back.
        bench.offer(50..<60, sequence: 2)
        bench.service.lease(untilBootMilliseconds: .max)
        expectSoon("they leave in the end") { bench.acceptedCount == 60 }
        bench.stop()
    }

    @Test func aLeaseRunsOutByItself() throws {
        let seen = Lock(0)
        let deadline = Clock.bootMilliseconds() + 300
        let bench = try leased(until: deadline, seen)
        var sequence: UInt64 = 0
        expectSoon("the lease is over") {
            sequence += 1
            bench.offer(0..<1, sequence: sequence)
            return Clock.bootMilliseconds() > deadline && bench.service.inFlight == 0
        }
        // The server has read what had left, and answered it.
        for _ in 0..<20 { bench.server.each { _ in } }
        let count = seen.withLock { $0 }
        bench.offer(0..<1, sequence: sequence + 1)
        expectSoon("the last version waits") {
            bench.service.statistics().loops[0].counters.offered > Int(sequence)
        }
        for _ in 0..<20 { bench.server.each { _ in } }
        #expect(seen.withLock { $0 } == count)
        bench.stop()
    }

    @Test func withdrawnOffersAreNeitherSentNorReported() throws {
        let seen = Lock(0)
        let bench = try leased(until: 0, seen)
        bench.offer(0..<30)
        #expect(bench.service.withdraw(tickets: Array(10..<20)))
        // Offered after the withdrawal: the key has come back.
        bench.offer(15..<16, sequence: 1)
        bench.service.lease(untilBootMilliseconds: .max)
        expectSoon("the others arrive") { bench.acceptedCount == 21 }
        expectSoon("the figures say so") { bench.service.statistics().loops[0].counters.withdrawn == 10 }
        #expect(bench.reports.withLock { $0.count } == 21)
        #expect(seen.withLock { $0 } == 21)
        bench.stop()
    }

    @Test func whatWaitsInAConnectionWhenTheLeaseEndsDoesNotLeaveAfterIt() throws {
        var options = ServerOptions()
        options.connectionWindow = 65_535
        let isHeld = Lock(false)
        let seen = Lock(0)
        let bench = try ServiceBench(options: options) { turn in
            for request in turn.requests {
                seen.withLock { $0 += 1 }
                turn.respond(request)
            }
        }
        bench.offer(0..<1)
        expectSoon("the connection is proven") { bench.acceptedCount == 1 }
        // While the server reads nothing, no more than its window can leave.
        isHeld.withLock { $0 = true }
        bench.server.each { _ in
            let deadline = Clock.bootMilliseconds() + 20_000
            while isHeld.withLock({ $0 }), Clock.bootMilliseconds() < deadline { sched_yield() }
        }
        let batch = (1..<200).map { number in
            var item = bench.item(ticket: UInt64(number))
            item.payload = Array(#"{"aps":{"event":"update","content-state":{"n":""#.utf8)
            item.payload += [UInt8](repeating: UInt8(ascii: "x"), count: 3_000) + Array(#""}}}"#.utf8)
            return LaneOffer(item: item, destination: bench.destination(number))
        }
        #expect(bench.service.offer(batch).isEmpty)
        expectSoon("they are on the connection") { bench.service.statistics().apps[0].requests == 200 }
        bench.service.lease(untilBootMilliseconds: 0)
        isHeld.withLock { $0 = false }
        expectSoon("the connection is closed") { bench.service.statistics().apps[0].heldBack == 1 }
        let app = bench.service.statistics().apps[0]
        #expect(app.unprocessed > 100)
        for _ in 0..<20 { bench.server.each { _ in } }
        #expect(seen.withLock { $0 } < 60)
        bench.service.lease(untilBootMilliseconds: .max)
        expectSoon("all arrive in the end") { bench.acceptedCount == 200 }
        bench.stop()
    }
}
