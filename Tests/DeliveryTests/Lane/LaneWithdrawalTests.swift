import LiveActivity
import Testing

@testable import Delivery

@Suite struct LaneWithdrawalTests {
    @Test func whatWaitsIsForgottenWithoutAReport() throws {
        var bench = LaneBench()
        bench.offer(item(1, important: true))
        bench.offer(item(2))
        bench.table.withdraw(tickets: [1], now: bench.now)
        #expect(bench.send() == nil)
        bench.wait(60_000)
        #expect(bench.reports().isEmpty)
        #expect(bench.table.count == 0)
        #expect(bench.table.counters.withdrawn == 2)
    }

    @Test func whatIsUnderWayHoldsItsLaneAndSaysNothing() throws {
        for end in 0..<4 {
            var bench = LaneBench()
            bench.offer(item(1))
            let flight = try bench.sent()
            bench.table.withdraw(tickets: [1], now: bench.now)
            // The key is back with a new count: it waits for the request that is out.
            bench.offer(item(1, at: bench.now))
            #expect(bench.send() == nil)
            switch end {
            case 0: bench.answer(flight.id)
            case 1: bench.fail(flight.id, .unprocessed)
            case 2: bench.fail(flight.id, .unknown)
            default: bench.answer(flight.id, 403, "ExpiredProviderToken")
            }
            #expect(bench.reports().isEmpty)
            let next = try bench.sent()
            #expect(next.item.sequence == 1 && !next.item.quiet)
            bench.answer(next.id)
            #expect(bench.reports() == ["1: accepted"])
        }
    }

    @Test func aRefusalForNowStillSlowsTheDestination() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let flight = try bench.sent()
        bench.offer(item(7, ticket: 2))
        bench.table.withdraw(tickets: [1], now: bench.now)
        bench.answer(flight.id, 429, "TooManyRequests")
        #expect(bench.send() == nil)
        bench.wait(2_000)
        #expect(bench.send()?.item.sequence == 7)
        #expect(bench.reports().isEmpty)
    }

    @Test func aDeadDestinationIsStillToldToOthers() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let flight = try bench.sent()
        bench.offer(item(7, ticket: 2))
        bench.table.withdraw(tickets: [1], now: bench.now)
        bench.answer(flight.id, 400, "ChannelNotRegistered")
        #expect(bench.reports().count == 1)
    }

    @Test func whatRestsIsForgotten() throws {
        var bench = LaneBench()
        bench.offer(item(1))
        let flight = try bench.sent()
        bench.answer(flight.id, 429, "TooManyRequests")
        #expect(bench.reports().count == 1)
        bench.table.withdraw(tickets: [1], now: bench.now)
        bench.wait(60_000)
        #expect(bench.send() == nil)
        #expect(bench.reports().isEmpty)
        #expect(bench.table.nextDeadline == nil && bench.table.count == 0)
    }

    @Test func othersAreLeftAlone() throws {
        var bench = LaneBench()
        for number in 1...5 { bench.offer(item(1, ticket: UInt64(number)), to: channel(number)) }
        bench.table.withdraw(tickets: [2, 4, 99], now: bench.now)
        var left: [UInt64] = []
        while let request = bench.send() { left.append(request.item.ticket) }
        #expect(left == [1, 3, 5])
    }

    @Test func anEndThatWasForgottenFencesNothing() throws {
        var bench = LaneBench()
        bench.offer(item(9, .end))
        let flight = try bench.sent()
        bench.answer(flight.id)
        bench.table.withdraw(tickets: [1], now: bench.now)
        _ = bench.reports()
        bench.offer(item(2, at: bench.now))
        #expect(bench.send()?.item.sequence == 2)
        #expect(bench.reports().isEmpty)
    }

    /// Offers, requests, outcomes and withdrawals in any order: what was withdrawn is never reported, what was not is
    /// reported once, and no destination ever has two requests.
    @Test(arguments: UInt64(1)...30) func anyOrder(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bench = LaneBench()
        var open: [UInt64: Set<UInt64>] = [:]
        var flights: [(id: SendID, destination: Destination)] = []
        var sequence: UInt64 = 0
        func look(_ bench: inout LaneBench) {
            for effect in bench.effects {
                switch effect {
                case .send(let id, let destination, _):
                    #expect(!flights.contains { $0.destination == destination }, "seed \(seed)")
                    flights.append((id, destination))
                case .report(let report):
                    #expect(open[report.ticket]?.contains(report.sequence) == true, "seed \(seed)")
                    if report.isFinal { open[report.ticket]?.remove(report.sequence) }
                }
            }
            bench.effects = []
        }
        for step in 0..<600 {
            let ticket = UInt64(random.below(6))
            switch step < 500 ? random.below(8) : 6 + random.below(2) {
            case 0..<3:
                sequence += 1
                open[ticket, default: []].insert(sequence)
                bench.offer(
                    item(sequence, important: random.once(in: 4), ticket: ticket, at: bench.now),
                    to: channel(Int(ticket) % 3))
            case 3 where random.once(in: 3):
                bench.table.withdraw(tickets: [ticket, ticket &+ 1], now: bench.now)
                open[ticket] = nil
                open[ticket &+ 1] = nil
            case 4, 5: bench.wait(random.below(3_000))
            case 6:
                bench.table.dispatch(
                    Outlet(app: 0, broadcast: true), atMost: 2, now: bench.now, into: &bench.effects)
            default:
                guard !flights.isEmpty else { continue }
                let flight = flights.remove(at: Int(random.below(Int64(flights.count))))
                switch step < 500 ? random.below(5) : 9 {
                case 0: bench.fail(flight.id, .unprocessed)
                case 1: bench.fail(flight.id, .unknown)
                case 2: bench.answer(flight.id, 429, "TooManyRequests")
                default: bench.answer(flight.id)
                }
            }
            look(&bench)
        }
        for _ in 0..<50 {
            bench.wait(10_000)
            look(&bench)
            bench.table.dispatch(Outlet(app: 0, broadcast: true), atMost: 9, now: bench.now, into: &bench.effects)
            look(&bench)
            for flight in flights { bench.answer(flight.id) }
            flights = []
            look(&bench)
        }
        let isAllReported = open.values.allSatisfy { $0.isEmpty }
        #expect(isAllReported, "seed \(seed): \(open)")
    }
}
