import Delivery
import HTTP2
import Loops
import Testing

@testable import APNs

/// What the server did with each request, by `apns-id`.
private struct Ledger {
    var arrivals: [String: Int] = [:]
    var processed: [String: Int] = [:]
    var dropped: [String: Int] = [:]
    var held: [Int: [ServerRequest]] = [:]
    var goAways = 0
    var target = 0

    mutating func process(_ request: ServerRequest, _ turn: inout ScriptedServer.Turn) {
        processed[request.identifier, default: 0] += 1
        turn.respond(request)
    }

    /// Holds requests until enough wait, then processes the lower half and says GOAWAY in the middle.
    mutating func serve(_ turn: inout ScriptedServer.Turn) {
        for request in turn.requests {
            arrivals[request.identifier, default: 0] += 1
            // The first of a connection proves the token; without its answer no others would come.
            if request.stream == 1 || goAways >= target { process(request, &turn); continue }
            held[turn.connection, default: []].append(request)
        }
        guard let waiting = held[turn.connection], waiting.count >= 10 else { return }
        held[turn.connection] = nil
        goAways += 1
        let last = waiting[waiting.count / 2].stream
        for request in waiting {
            if request.stream <= last { process(request, &turn) } else { dropped[request.identifier, default: 0] += 1 }
        }
        turn.goAway(lastStreamID: last, debugData: goAways % 2 == 0 ? #"{"reason":"Shutdown"}"# : "")
    }

    /// Lets go what waits for more that will not come.
    mutating func release(_ turn: inout ScriptedServer.Turn) {
        for request in held.removeValue(forKey: turn.connection) ?? [] { process(request, &turn) }
    }
}

@Suite struct GoAwayTests {
    /// 100 rounds of GOAWAY with a last stream below what is in flight: what was not processed is sent again exactly
    /// once, what was processed never.
    @Test func unprocessedRequestsAreSentAgainExactlyOnceAndProcessedOnesNever() throws {
        let ledger = Lock(Ledger())
        let bench = try ServiceBench { turn in ledger.withLock { $0.serve(&turn) } }
        let perRound = 40
        for round in 1...100 {
            ledger.withLock { $0.target = round }
            bench.offer((round * 1000)..<(round * 1000 + perRound))
            expectSoon("round \(round) ends") {
                bench.server.each { turn in
                    ledger.withLock { if $0.goAways >= $0.target { $0.release(&turn) } }
                }
                return bench.acceptedCount == round * perRound
            }
        }
        let result = ledger.withLock { $0 }
        #expect(result.goAways == 100)
        #expect(result.processed.count == 100 * perRound)
        #expect(result.processed.values.allSatisfy { $0 == 1 })
        #expect(result.dropped.values.reduce(0, +) >= 100)
        for (identifier, arrivals) in result.arrivals {
            #expect(arrivals == 1 + (result.dropped[identifier] ?? 0))
        }
        #expect(bench.count { if case .unknown = $0 { true } else { false } } == 0)
        bench.stop()
    }
}
