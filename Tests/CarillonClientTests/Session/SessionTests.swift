import Codes
import Testing
import Wire

@testable import CarillonClient

@Suite struct SessionTests {
    @Test func nothingIsPublishedBeforeReadyAndNeverBeyondTheCredit() throws {
        var driver = SessionDriver()
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
        var driver = SessionDriver()
        driver.receive(.ready(Ready(sequence: 1, node: "n", software: "s", credit: 1)))
        driver.session.connected(now: 1000, into: &driver.effects)
        driver.receive(.ready(Ready(sequence: 1, node: "n", software: "s", credit: 1)))
        #expect(driver.session.phase != .open && driver.session.statistics.unexpected == 2)
    }

    @Test func afterALostSessionEverythingUnansweredIsSentAgainInOrderBeforeAnythingNew() throws {
        var driver = SessionDriver()
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
            var driver = SessionDriver()
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
        var driver = SessionDriver()
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
        var driver = SessionDriver()
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
        var driver = SessionDriver()
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
        var driver = SessionDriver()
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
        var driver = SessionDriver()
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
        var driver = SessionDriver(nodes: 2)
        driver.submit(try event(0), tag: 0)
        driver.session.request(waiter: 5, deadline: 9000, into: &driver.effects) { .ping(sequence: $0) }
        driver.session.handshakeFailed(refused: true, into: &driver.effects)
        #expect(driver.results() == [] && driver.commands() == ["change"])
        driver.session.handshakeFailed(refused: true, into: &driver.effects)
        #expect(driver.results() == ["0 connection-refused"] && driver.session.isIdle)
    }

    @Test func aDrainingNodeIsLeftWhenItHasAnswered() throws {
        var driver = SessionDriver(nodes: 2)
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
        var driver = SessionDriver(nodes: 2)
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
        var driver = SessionDriver(nodes: 2)
        driver.open()
        driver.submit(try event(0), tag: 0)
        for _ in 0..<2 {
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

    @Test func aNodeThatAnswersButAcceptsNothingIsLeft() throws {
        var driver = SessionDriver(nodes: 2)
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.nack(.shardMoves, 1, retry: 100)
        for _ in 0..<5 {
            driver.pass(1000)
            driver.nack(.shardMoves, 1, retry: 100)
        }
        #expect(!driver.commands().contains("change"))
        driver.pass(1000)
        #expect(driver.commands() == ["change"])
    }

    @Test func closingWaitsForResultsAndSaysBye() throws {
        var driver = SessionDriver()
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
        var driver = SessionDriver()
        driver.open()
        driver.submit(try event(0), tag: 0)
        driver.session.close(by: 5000)
        driver.pass(4000)
        #expect(driver.results() == ["0 client-closed"] && driver.commands() == ["hello", "close"])
    }
}
