import CLinux
import Codes
import Delivery
import HTTP2
import Loops
import Testing

@testable import APNs

@Suite struct SendingTests {
    @Test func pushAndBroadcastArriveAsWritten() throws {
        let seen = Lock<[ServerRequest]>([])
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                seen.withLock { $0.append(request) }
                turn.respond(request)
            }
        }
        let channel = Destination(kind: .channel, app: 0, address: Array("dHN0LXNyY2gtY2hubA==".utf8))
        let item = bench.item(ticket: 7)
        #expect(
            bench.service.offer([
                LaneOffer(item: item, destination: bench.destination(0xabc)),
                LaneOffer(item: item, destination: channel),
            ]).isEmpty)
        expectSoon("both are accepted") { bench.acceptedCount == 2 }
        let requests = seen.withLock { $0.sorted { $0.pathText < $1.pathText } }
        try #require(requests.count == 2)
        #expect(requests[0].pathText == "/3/device/" + String(repeating: "0", count: 61) + "abc")
        #expect(requests[0].headers.text("apns-topic") == "com.example.MyApp.push-type.liveactivity")
        #expect(requests[1].pathText == "/4/broadcasts/apps/com.example.MyApp")
        #expect(requests[1].headers.text("apns-channel-id") == "dHN0LXNyY2gtY2hubA==")
        #expect(requests[1].headers["apns-topic"] == nil)
        for request in requests {
            #expect(
                request.bodyText
                    == #"{"aps":{"timestamp":\#(item.stampSeconds),"event":"update","content-state":{"n":1}}}"#)
        }
        expectSoon("the figures are published") { bench.service.statistics().apps[0].accepted == 2 }
        let app = bench.service.statistics().apps[0]
        #expect(app.requests == 2 && app.tokensSigned == 1 && app.connections.count == 1)
        #expect(app.latencyNanosecondsP50 > 0)
        bench.stop()
    }

    @Test func firstStreamIsAloneUntilItsAnswer() throws {
        let held = Lock<[ServerRequest]>([])
        let arrived = Lock(0)
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                arrived.withLock { $0 += 1 }
                if request.stream == 1 { held.withLock { $0.append(request) } } else { turn.respond(request) }
            }
        }
        bench.offer(0..<500)
        expectSoon("the first arrives") { held.withLock { $0.count } == 1 }
        // The server allowed 1000 long ago; give what should not come the time to come.
        for _ in 0..<20 {
            bench.server.each { _ in }
            #expect(arrived.withLock { $0 } == 1)
        }
        bench.server.each { turn in
            for request in held.withLock({ $0 }) { turn.respond(request) }
        }
        expectSoon("all arrive") { bench.acceptedCount == 500 }
        bench.stop()
    }

    @Test func limitsFrom1To1000To1AreObeyed() throws {
        var options = ServerOptions()
        options.maxConcurrentStreams = 1
        let state = Lock((open: 0, most: 0, excess: 0, limit: 1, answered: 0))
        let held = Lock<[ServerRequest]>([])
        let bench = try ServiceBench(options: options) { turn in
            for request in turn.requests {
                state.withLock { state in
                    state.open += 1
                    state.most = max(state.most, state.open)
                }
                held.withLock { $0.append(request) }
            }
        }
        let answerAll: ScriptedServer.Script = { turn in
            for request in held.withLock({ waiting in
                defer { waiting = [] }
                return waiting
            }) {
                state.withLock { $0.open -= 1 }
                turn.respond(request)
            }
        }
        bench.offer(0..<3000)
        expectSoon("10 go one by one") {
            bench.server.each(answerAll)
            return bench.acceptedCount >= 10
        }
        #expect(state.withLock { $0.most } == 1)
        bench.server.each { $0.limit(1000) }
        expectSoon("1000 are under way at once") {
            if state.withLock({ $0.open }) < 1000 {
                bench.server.each { turn in if state.withLock({ $0.most }) == 1 { answerAll(&turn) } }
            }
            return state.withLock { $0.open } == 1000
        }
        bench.server.each { $0.limit(1) }
        bench.server.each(answerAll)
        expectSoon("all go out under the limit of 1 in the end") {
            bench.server.each(answerAll)
            return bench.acceptedCount == 3000
        }
        #expect(state.withLock { $0.most } == 1000)
        #expect(bench.service.statistics().apps[0].unprocessed <= 1000)
        bench.stop()
    }

    @Test func limitOfZeroDoesNotWedge() throws {
        let held = Lock<[ServerRequest]>([])
        let bench = try ServiceBench { turn in
            for request in turn.requests { held.withLock { $0.append(request) } }
        }
        let answerAll: ScriptedServer.Script = { turn in
            let requests = held.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for request in requests { turn.respond(request) }
        }
        bench.offer(0..<50)
        expectSoon("the first arrives") { held.withLock { !$0.isEmpty } }
        bench.server.each { turn in
            turn.limit(0)
            answerAll(&turn)
        }
        expectSoon("one is accepted") { bench.acceptedCount == 1 }
        bench.server.each { $0.limit(1000) }
        expectSoon("all are") {
            bench.server.each(answerAll)
            return bench.acceptedCount == 50
        }
        bench.stop()
    }

    @Test func unansweredStreamsAreCancelledAndTheirSlotsReclaimed() throws {
        let silenced = Lock<Set<String>>([])
        let resets = Lock(0)
        let bench = try ServiceBench(change: {
            $0.requestTimeoutMilliseconds = 300
            $0.apps[0].streamsPerConnection = 10
        }) { turn in
            for request in turn.requests {
                let number = Int(request.pathText.suffix(8), radix: 16) ?? 0
                // One in ten is never answered the first time.
                if number % 10 == 9, silenced.withLock({ $0.insert(request.identifier).inserted }) { continue }
                turn.respond(request)
            }
            resets.withLock { $0 += 1 }
        }
        bench.offer(0..<200)
        expectSoon("all are accepted in the end") { bench.acceptedCount == 200 }
        expectSoon("the figures are published") { bench.service.statistics().apps[0].timeouts == 20 }
        let app = bench.service.statistics().apps[0]
        #expect(app.answersLost == 20)
        #expect(silenced.withLock { $0.count } == 20)
        expectSoon("no slot is kept") { bench.service.inFlight == 0 }
        bench.stop()
    }

    /// A device between forgets the flow and drops what comes: nothing is ever said, not even a reset.
    @Test func deafConnectionIsFoundByPingAndReplaced() throws {
        let deaf = Lock(false)
        let wakeup = Wakeup()
        let bench = try ServiceBench(change: {
            $0.pingAfterIdleMilliseconds = 100
            $0.pongTimeoutMilliseconds = 200
            $0.connectTimeoutMilliseconds = 30_000
        }) { turn in
            for request in turn.requests { turn.respond(request) }
        }
        bench.offer(0..<1)
        expectSoon("it works") { bench.acceptedCount == 1 }
        bench.server.each { _ in
            // The server's thread stops reading until the test says so.
            guard
                deaf.withLock({ was in
                    defer { was = true }
                    return !was
                })
            else { return }
            var waiting = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, 20_000)
        }
        expectSoon("the pool wants another connection") { bench.service.statistics().apps[0].connects >= 2 }
        wakeup.signal()
        bench.offer(1..<2)
        expectSoon("the next push goes through the new one") { bench.acceptedCount == 2 }
        #expect(bench.server.acceptedCount >= 2)
        bench.stop()
    }

    @Test func refusedStreamsAreSentAgainExactlyOnce() throws {
        let arrivals = Lock<[String: Int]>([:])
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                let times = arrivals.withLock { arrivals in
                    arrivals[request.identifier, default: 0] += 1
                    return arrivals[request.identifier] ?? 0
                }
                let number = Int(request.pathText.suffix(8), radix: 16) ?? 0
                if number % 3 == 2, times == 1 { turn.reset(request, .refusedStream) } else { turn.respond(request) }
            }
        }
        bench.offer(0..<300)
        expectSoon("all are accepted") { bench.acceptedCount == 300 }
        #expect(arrivals.withLock { $0.count } == 300)
        #expect(arrivals.withLock { $0.values.filter { $0 == 2 }.count } == 100)
        #expect(arrivals.withLock { $0.values.max() } == 2)
        bench.stop()
    }

    @Test func resetWhileIdleCostsNothing() throws {
        let bench = try ServiceBench { turn in
            for request in turn.requests { turn.respond(request) }
        }
        for round in 0..<5 {
            bench.offer((round * 10)..<(round * 10 + 10))
            expectSoon("round \(round)") { bench.acceptedCount == (round + 1) * 10 }
            bench.server.each { $0.abort() }
            expectSoon("it is gone and replaced") { bench.server.acceptedCount == round + 2 }
        }
        #expect(bench.count { if case .accepted = $0 { false } else { true } } == 0)
        bench.stop()
    }

    @Test func lostAnswerIsRepeatedQuietly() throws {
        let bodies = Lock<[String]>([])
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                let first = bodies.withLock { bodies in
                    bodies.append(request.identifier)
                    return bodies.count == 1
                }
                if first { turn.abort() } else { turn.respond(request) }
            }
        }
        bench.offer(0..<1)
        expectSoon("it is accepted") { bench.acceptedCount == 1 }
        #expect(bodies.withLock { Set($0).count == 1 && $0.count == 2 })
        bench.stop()
    }

    @Test func severalLoopsKeepTheOrderOfEachDestination() throws {
        let states = Lock<[String: [String]]>([:])
        let bench = try ServiceBench(connections: 3, change: { $0.loops = 3 }) { turn in
            for request in turn.requests {
                states.withLock { $0[request.pathText, default: []].append(request.bodyText) }
                turn.respond(request)
            }
        }
        for sequence in UInt64(1)...20 { bench.offer(0..<50, sequence: sequence) }
        expectSoon("everything is settled") {
            bench.reports.withLock { $0.filter(\.isFinal).count } == 1000
        }
        #expect(bench.server.acceptedCount == 3)
        let newest = bench.reports.withLock { reports in
            reports.filter { $0.outcome == .accepted && $0.sequence == 20 }.count
        }
        #expect(newest == 50)
        for bodies in states.withLock({ $0.values }) {
            let numbers = bodies.compactMap { body in
                body.split(separator: "\"n\":").last.flatMap { Int($0.prefix { $0.isNumber }) }
            }
            #expect(numbers == numbers.sorted() && numbers.last == 20)
        }
        bench.stop()
    }

    @Test func offersBeyondTheBoundComeBack() throws {
        let bench = try ServiceBench(change: { $0.offersMax = 100 }) { _ in }
        let batch = (0..<101).map { LaneOffer(item: bench.item(ticket: 1), destination: bench.destination($0)) }
        #expect(bench.service.offer(batch).count == 101)
        bench.service.stop(deadlineMilliseconds: 0)
        #expect(bench.service.offer(Array(batch.prefix(1))).count == 1)
        bench.stop()
    }

    @Test func stoppingLetsWhatIsUnderWayFinish() throws {
        let held = Lock<[ServerRequest]>([])
        let bench = try ServiceBench { turn in
            for request in turn.requests {
                if request.stream == 1 { turn.respond(request) } else { held.withLock { $0.append(request) } }
            }
        }
        bench.offer(0..<20)
        expectSoon("19 are under way") { held.withLock { $0.count } == 19 }
        let stopper = LoopThread(name: "stopper")
        let service = bench.service
        stopper.start { service.stop(deadlineMilliseconds: 20_000) }
        expectSoon("offers are refused") {
            !bench.service.offer([LaneOffer(item: bench.item(ticket: 99), destination: bench.destination(99))]).isEmpty
        }
        bench.server.each { turn in
            for request in held.withLock({ $0 }) { turn.respond(request) }
        }
        stopper.join()
        let finished = bench.reports.withLock { $0.filter { $0.ticket < 20 && $0.outcome == .accepted }.count }
        #expect(finished == 20)
        bench.server.stop()
    }
}
