import Codes
import Testing
import Wire

@testable import CarillonClient

/// The session machine, driven by hand with a clock of our own.
private struct Driver {
    var session: ClientSession
    var effects: [ClientEffect] = []
    var now: Int64 = 1000

    init(nodes: Int = 1) {
        session = ClientSession(
            name: "t", nodes: nodes,
            patience: ClientSession.Patience(
                answerMilliseconds: 10_000, resendMilliseconds: 3000, connectMilliseconds: 3000),
            now: 1000)
    }

    mutating func open(credit: Int = 10) {
        session.connected(now: now, into: &effects)
        ready(credit: credit)
    }

    mutating func ready(credit: Int = 10) {
        guard case .greeting(let sequence, _) = session.phase else { return }
        receive(.ready(Ready(sequence: sequence, node: "n", software: "s", credit: credit)))
    }

    mutating func receive(_ message: NodeMessage) {
        session.receive(message, now: now, into: &effects)
        session.pump(now: now, into: &effects)
    }

    mutating func submit(_ event: Publish, tag: UInt64) {
        session.submit(Submission(publish: event, ticket: .tag(tag), deadline: now + 10_000), into: &effects)
        session.pump(now: now, into: &effects)
    }

    mutating func ack(_ sequence: Int64) {
        receive(.ack(Ack(sequence: sequence, instance: 1, epoch: 1, version: 1, copies: 1)))
    }

    mutating func nack(_ code: Code, _ sequence: Int64, retry: Int64? = nil) {
        receive(.nack(Nack(code, sequence: sequence, retryMilliseconds: retry)))
    }

    mutating func pass(_ milliseconds: Int64) {
        now += milliseconds
        session.tick(now: now, into: &effects)
        session.pump(now: now, into: &effects)
    }

    /// Numbers of the publishes sent since the last call.
    mutating func sent() -> [Int64] {
        take { if case .send(.publish(let publish)) = $0 { publish.sequence } else { nil } }
    }

    /// Results since the last call: the tag, and the code unless acknowledged.
    mutating func results() -> [String] {
        take { effect in
            guard case .settle(.tag(let tag), let result) = effect else { return nil }
            if case .failure(let refusal) = result { return "\(tag) \(refusal.fault.code.slug)" }
            return "\(tag)"
        }
    }

    mutating func commands() -> [String] {
        take { effect in
            switch effect {
            case .send(.hello): "hello"
            case .send(.bye): "bye"
            case .send(.ping): "ping"
            case .changeNode: "change"
            case .close: "close"
            default: nil
            }
        }
    }

    private mutating func take<Value>(_ pick: (ClientEffect) -> Value?) -> [Value] {
        defer { effects.removeAll { pick($0) != nil } }
        return effects.compactMap(pick)
    }
}

@Suite struct SessionTests {
    @Test func nothingIsPublishedBeforeReadyAndNeverBeyondTheCredit() throws {
        var driver = Driver()
        for number in 0..<5 { driver.submit(try event(number, name: "m\(number)"), tag: UInt64(number)) }
        #expect(driver.sent() == [])
        driver.session.connected(now: 1000, into: &driver.effects)
        #expect(driver.commands() == ["hello"])
        #expect(driver.sent() == [])
        driver.ready(credit: 2)
        #expect(driver.sent() == [1, 2])
        driver.ack(1)
        #expect(driver.sent() == [3])
        driver.receive(.credit(4))
        #expect(driver.sent() == [4, 5])
        driver.receive(.credit(0))
        driver.ack(2)
        #expect(driver.results() == ["0", "1"])
    }

    @Test func aReadyForAnotherHelloIsIgnored() {
        var driver = Driver()
        driver.receive(.ready(Ready(sequence: 1, node: "n", software: "s", credit: 1)))
        driver.session.connected(now: 1000, into: &driver.effects)
        driver.receive(.ready(Ready(sequence: 1, node: "n", software: "s", credit: 1)))
        #expect(driver.session.phase != .open && driver.session.statistics.unexpected == 2)
    }

    @Test func afterALostSessionEverythingUnansweredIsSentAgainInOrderBeforeAnythingNew() throws {
        var driver = Driver()
        driver.open(credit: 3)
        for number in 0..<3 { driver.submit(try event(number, name: "m\(number)"), tag: UInt64(number)) }
        #expect(driver.sent() == [1, 2, 3])
        driver.ack(2)
        driver.session.disconnected(now: driver.now)
        driver.submit(try event(3), tag: 3)
        #expect(driver.sent() == [])
        driver.open(credit: 1)
        #expect(driver.sent() == [1])
        driver.ack(1)
        #expect(driver.sent() == [3])
        driver.ack(3)
        #expect(driver.sent() == [4])
        driver.ack(4)
        #expect(driver.results() == ["1", "0", "2", "3"])
        #expect(driver.session.isIdle && driver.session.targets.isEmpty)
    }

    @Test func anEventIsNotRepeatedAfterANewerOneOfItsKeyWasAcknowledged() throws {
        for revision in [nil, Int64(5)] {
            var driver = Driver()
            driver.open()
            driver.submit(try event(0, revision: revision), tag: 0)
            driver.submit(try event(1), tag: 1)
            driver.ack(2)
            driver.session.disconnected(now: driver.now)
            _ = driver.sent()
            driver.open()
            #expect(driver.sent() == (revision == nil ? [] : [1]))
            #expect(driver.results() == (revision == nil ? ["1", "0 no-answer"] : ["1"]))
        }
    }

    @Test func overloadIsTriedAgainUnlessSomethingNewerWasSent() throws {
        var driver = Driver()
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.nack(.overloaded, 1, retry: 200)
        driver.pass(100)
        #expect(driver.sent() == [1])
        driver.pass(100)
        #expect(driver.sent() == [1])
        driver.nack(.overloaded, 1, retry: 200)
        driver.submit(try event(1), tag: 1)
        driver.pass(300)
        #expect(driver.sent() == [2])
        #expect(driver.results() == ["0 overloaded"])
        driver.nack(.overloaded, 2, retry: 60_000)
        #expect(driver.results() == ["1 overloaded"])
    }

    @Test func aRequestThatIsPutOffIsAskedAgainWhenItsTimeAllows() {
        var driver = Driver()
        driver.open()
        func answers() -> [String] {
            driver.effects.compactMap { effect in
                guard case .answer(_, .failure(let refusal)) = effect else { return nil }
                return refusal.fault.code.slug
            }
        }
        var number: Int64 = 0
        driver.session.request(waiter: 1, deadline: driver.now + 1000, into: &driver.effects) { sequence in
            number = sequence
            return .ping(sequence: sequence)
        }
        driver.pass(0)
        #expect(driver.commands().filter { $0 == "ping" }.count == 1)
        driver.nack(.overloaded, number, retry: 300)
        driver.pass(299)
        #expect(driver.commands() == [] && answers() == [])
        driver.pass(1)
        #expect(driver.commands() == ["ping"])
        driver.nack(.overloaded, number, retry: 300)
        driver.pass(100)
        driver.nack(.overloaded, number, retry: 800)
        #expect(answers() == ["overloaded"], "no time is left for that")
        driver.nack(.overloaded, number, retry: 1)
        #expect(answers() == ["overloaded"])
    }

    @Test func silenceIsBrokenOnceAndEndsAtTheDeadline() throws {
        var driver = Driver()
        driver.open(credit: 1)
        driver.submit(try event(0), tag: 0)
        driver.submit(try event(1, name: "other"), tag: 1)
        #expect(driver.sent() == [1])
        driver.pass(2999)
        #expect(driver.sent() == [])
        driver.pass(1)
        #expect(driver.sent() == [1])
        driver.pass(7000)
        #expect(driver.results() == ["1 no-answer", "0 no-answer"])
        #expect(driver.session.isIdle)
    }

    @Test func aNodeThatForgotUsIsGreetedAgain() throws {
        var driver = Driver()
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.submit(try event(1, name: "other"), tag: 1)
        _ = driver.commands()
        _ = driver.sent()
        driver.nack(.helloRequired, 1)
        driver.nack(.helloRequired, 2)
        #expect(driver.commands() == ["hello"])
        driver.ready()
        #expect(driver.sent() == [1, 2])
    }

    @Test func answersToNothingAreCountedAndChangeNothing() throws {
        var driver = Driver()
        driver.open(credit: 1)
        driver.ack(77)
        driver.nack(.overloaded, 78, retry: 1)
        driver.nack(.unknownKey, ClientSession.firstRequest + 50)
        driver.receive(.nack(Nack(.malformed, sequence: nil)))
        driver.receive(.pong(sequence: 9, nowMilliseconds: 0))
        driver.receive(.bye(sequence: 3))
        #expect(driver.session.statistics.unexpected >= 5)
        driver.submit(try event(0), tag: 0)
        #expect(driver.sent() == [1])
        driver.ack(1)
        driver.ack(1)
        #expect(driver.session.credit.available == 1)
    }

    @Test func refusedHandshakesTellEverybodyOnceAllNodesRefuse() throws {
        var driver = Driver(nodes: 2)
        driver.submit(try event(0), tag: 0)
        driver.session.request(waiter: 5, deadline: 9000, into: &driver.effects) { .ping(sequence: $0) }
        driver.session.handshakeFailed(refused: true, into: &driver.effects)
        #expect(driver.results() == [] && driver.commands() == ["change"])
        driver.session.handshakeFailed(refused: true, into: &driver.effects)
        #expect(driver.results() == ["0 connection-refused"] && driver.session.isIdle)
    }

    @Test func aDrainingNodeIsLeftWhenItHasAnswered() throws {
        var driver = Driver(nodes: 2)
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.receive(.goAway(GoAway(reason: "draining", afterMilliseconds: 5000)))
        driver.receive(.credit(50))
        driver.submit(try event(1), tag: 1)
        driver.pass(100)
        #expect(driver.sent() == [1] && driver.commands() == ["hello"])
        driver.ack(1)
        driver.pass(100)
        #expect(driver.commands() == ["change"])
        driver.session.disconnected(now: driver.now)
        driver.open()
        #expect(driver.sent() == [2])
    }

    @Test func aFrozenNodeIsAskedAndThenLeft() throws {
        var driver = Driver(nodes: 2)
        driver.open()
        driver.pass(60_000)
        driver.submit(try event(0), tag: 0)
        driver.pass(1400)
        #expect(driver.commands() == ["hello"])
        driver.pass(100)
        #expect(driver.commands() == ["ping"])
        driver.pass(1400)
        #expect(driver.commands() == [])
        driver.pass(100)
        #expect(driver.commands() == ["change"] && driver.session.statistics.silences == 1)
    }

    @Test func aSlowNodeThatAnswersPingsIsKept() throws {
        var driver = Driver(nodes: 2)
        driver.open()
        driver.submit(try event(0), tag: 0)
        for _ in 0..<4 {
            driver.pass(2000)
            let pings = driver.effects.compactMap { effect -> Int64? in
                if case .send(.ping(let sequence)) = effect { sequence } else { nil }
            }
            #expect(pings.count == 1)
            driver.effects.removeAll()
            driver.receive(.pong(sequence: pings.last ?? 0, nowMilliseconds: 0))
        }
        #expect(driver.session.statistics.silences == 0 && driver.session.statistics.unexpected == 0)
    }

    @Test func closingWaitsForResultsAndSaysBye() throws {
        var driver = Driver()
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.session.close(by: 5000)
        driver.submit(try event(1), tag: 1)
        #expect(driver.results() == ["1 client-closed"] && driver.commands() == ["hello"])
        driver.ack(1)
        #expect(driver.commands() == ["bye"])
        driver.receive(.bye(sequence: 1))
        #expect(driver.commands() == ["close"] && driver.session.phase == .closed)
        driver.open()
        driver.pass(10_000)
        #expect(driver.commands() == [])
    }

    @Test func closingEndsAtItsDeadlineWhateverHappens() throws {
        var driver = Driver()
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.session.close(by: 5000)
        driver.pass(4000)
        #expect(driver.results() == ["0 client-closed"] && driver.commands() == ["hello", "close"])
    }
}
