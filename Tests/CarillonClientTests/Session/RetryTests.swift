import Codes
import Testing
import Wire

@testable import CarillonClient

/// Events that are refused for now: they are sent again by the same ID until their deadline, whatever order the answers
/// come in.
@Suite struct RetryTests {
    private func sentOne(_ credit: Int = 10) throws -> SessionDriver {
        var driver = SessionDriver()
        driver.open(credit: credit)
        driver.submit(try event(1, revision: 1), tag: 1)
        #expect(driver.sent() == [1])
        return driver
    }

    @Test func anEventWithARevisionIsSentAgainAsLongAsItsShardMoves() throws {
        var driver = try sentOne()
        // A newer one of the same key is no obstacle.
        driver.submit(try event(2, revision: 2), tag: 2)
        driver.ack(2)
        #expect(driver.sent() == [2])
        for _ in 0..<50 {
            driver.nack(.shardMoves, 1, retry: 100)
            driver.pass(100)
            #expect(driver.sent() == [1])
        }
        driver.ack(1)
        #expect(driver.results() == ["2", "1"] && driver.session.credit.unanswered == 0)
    }

    @Test func aShardThatMovesIsAwaitedAlsoWhenTheNodeDoesNotSayHowLong() throws {
        var driver = try sentOne()
        driver.nack(.shardMoves, 1)
        #expect(driver.results() == [])
        driver.pass(ClientSession.moveMilliseconds)
        #expect(driver.sent() == [1])
    }

    @Test func onlyTheDeadlineHandsARefusalToTheCaller() throws {
        var driver = try sentOne()
        driver.now += 9950
        driver.nack(.shardMoves, 1, retry: 100)
        #expect(driver.results() == ["1 shard-moves"])
        driver.ack(1)
        driver.nack(.shardMoves, 1, retry: 100)
        #expect(driver.results() == [] && driver.session.statistics.unexpected == 2)
    }

    @Test func twoRefusalsOfOneEventMakeOneRepetition() throws {
        var driver = try sentOne(3)
        driver.pass(3000)
        #expect(driver.sent() == [1], "unanswered for long")
        driver.nack(.shardMoves, 1, retry: 100)
        driver.nack(.shardMoves, 1, retry: 100)
        #expect(driver.session.credit.unanswered == 0)
        driver.pass(100)
        driver.pass(100)
        #expect(driver.sent() == [1] && driver.session.credit.unanswered == 1)
        driver.ack(1)
        #expect(driver.results() == ["1"] && driver.session.credit.unanswered == 0)
    }

    @Test func anAckOfAnEarlierCopyEndsTheRepetition() throws {
        var driver = try sentOne(3)
        driver.submit(try event(7, name: "other"), tag: 7)
        driver.pass(3000)
        #expect(driver.sent() == [2, 1, 2])
        driver.nack(.shardMoves, 1, retry: 500)
        driver.ack(1)
        #expect(driver.results() == ["1"])
        #expect(driver.session.credit.unanswered == 1, "the other one's")
        driver.pass(500)
        #expect(driver.sent() == [])
    }

    @Test func aRefusalForGoodEndsTheRepetition() throws {
        var driver = try sentOne()
        driver.pass(3000)
        driver.nack(.shardMoves, 1, retry: 500)
        driver.nack(.ended, 1)
        #expect(driver.results() == ["1 ended"])
        driver.pass(500)
        #expect(driver.sent() == [1])
    }

    @Test func aSessionLostWhileWaitingSendsItOnceMore() throws {
        var driver = try sentOne()
        driver.nack(.shardMoves, 1, retry: 5000)
        driver.session.disconnected(now: driver.now)
        driver.nack(.shardMoves, 1, retry: 100)
        driver.open()
        #expect(driver.sent() == [1])
        driver.pass(5000)
        #expect(driver.sent() == [1], "unanswered for long, and nothing of the first session")
        driver.ack(1)
        #expect(driver.results() == ["1"] && driver.session.credit.unanswered == 0)
    }

    /// Nodes that refuse, say nothing, answer twice and go away for six seconds: nobody is told anything but success.
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func troubleOfSecondsIsNobodysBusiness(seed: UInt64) throws {
        var dice = SessionDice(seed: seed)
        var driver = SessionDriver(nodes: 2)
        driver.open(credit: 8)
        let begun = driver.now
        var out: [Int64] = []
        var submitted = 0
        while driver.now < begun + 6000 {
            if submitted < 40, driver.now < begun + 2000, dice.below(2) == 0 {
                submitted += 1
                driver.submit(
                    try event(submitted, name: "m\(dice.below(6))", revision: Int64(submitted)), tag: UInt64(submitted))
            }
            out += driver.sent()
            if !out.isEmpty { answer(out[Int(dice.below(UInt64(out.count)))], &driver, &dice) }
            if dice.below(40) == 0 {
                driver.session.disconnected(now: driver.now)
                out = []
                driver.open(credit: 8)
            }
            driver.pass(Int64(20 + dice.below(80)))
            #expect(driver.session.credit.unanswered <= 8)
        }
        for _ in 0..<75 {
            for sequence in driver.sent() { driver.ack(sequence) }
            driver.pass(50)
        }
        #expect(Set(driver.results()) == Set((1...max(1, submitted)).map { "\($0)" }))
        #expect(driver.session.isIdle)
    }

    private func answer(_ sequence: Int64, _ driver: inout SessionDriver, _ dice: inout SessionDice) {
        switch dice.below(8) {
        case 0: driver.nack(.shardMoves, sequence, retry: Int64(dice.below(300)))
        case 1: driver.nack(.shardMoves, sequence)
        case 2: driver.nack(.noAnswer, sequence, retry: 100)
        case 3: driver.nack(.overloaded, sequence, retry: 50)
        case 4:
            driver.nack(.shardMoves, sequence, retry: 100)
            driver.nack(.shardMoves, sequence, retry: 100)
        case 5:
            driver.ack(sequence)
            driver.nack(.shardMoves, sequence, retry: 100)
        default: break
        }
    }
}

/// SplitMix64.
struct SessionDice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: UInt64) -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return (mixed ^ (mixed >> 31)) % bound
    }
}
