import Testing

@testable import Node

@Suite struct BackpressureTests {
    @Test func creditShrinksWhenTheDiskFallsBehindAndComesBackLate() {
        var pressure = Backpressure(waitingMax: 800, fullCredit: 1000)
        #expect(!pressure.observe(waiting: 399) && pressure.credit == 1000)
        #expect(pressure.observe(waiting: 400) && pressure.credit == 250)
        #expect(!pressure.observe(waiting: 800))
        #expect(!pressure.observe(waiting: 101) && pressure.credit == 250)
        #expect(pressure.observe(waiting: 100) && pressure.credit == 1000)
        #expect(!pressure.observe(waiting: 0))
    }

    @Test func creditIsNeverNothing() {
        var pressure = Backpressure(waitingMax: 1, fullCredit: 1)
        #expect(pressure.observe(waiting: 1))
        #expect(pressure.credit == 1)
    }
}
