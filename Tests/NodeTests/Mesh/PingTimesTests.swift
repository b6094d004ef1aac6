import Telemetry
import Testing
import Wire

@testable import Node

@Suite struct PingTimesTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(high: 0, low: number) }

    @Test func anAnswerCountsOnceFromTheFirstSending() {
        var times = PingTimes()
        times.sent(1, to: node(1), now: 1000)
        times.sent(1, to: node(1), now: 1050)
        times.sent(2, to: node(2), now: 1060)
        times.answered(1, by: node(1), now: 1100)
        times.answered(1, by: node(1), now: 1110)
        #expect(times.roundTrips.count == 1 && times.roundTrips.maximum == 100)
        times.answered(2, by: node(2), now: 1070)
        #expect(times.roundTrips.count == 2 && times.roundTrips.minimum == 10 && times.unanswered == 0)
    }

    @Test func answersToNothingChangeNothing() {
        var times = PingTimes()
        times.answered(1, by: node(1), now: 5)
        times.sent(1, to: node(1), now: 10)
        times.answered(1, by: node(2), now: 11)
        times.answered(2, by: node(1), now: 12)
        #expect(times.roundTrips.count == 0 && times.unanswered == 0)
    }

    @Test func whatIsNotAnsweredInTimeCountsAsUnanswered() {
        var times = PingTimes()
        times.sent(1, to: node(1), now: 0)
        times.sent(2, to: node(1), now: 1)
        times.answered(1, by: node(1), now: PingTimes.patienceMicroseconds)
        #expect(times.roundTrips.count == 0 && times.unanswered == 1)
        times.answered(2, by: node(1), now: PingTimes.patienceMicroseconds)
        #expect(times.roundTrips.count == 1 && times.unanswered == 1)
    }

    @Test func pingsUnderWayAreBounded() {
        var times = PingTimes()
        for sequence in 0..<UInt32(PingTimes.capacity + 10) { times.sent(sequence, to: node(1), now: 0) }
        #expect(times.unanswered == 10)
        times.answered(9, by: node(1), now: 1)
        times.answered(10, by: node(1), now: 1)
        #expect(times.roundTrips.count == 1)
    }
}
