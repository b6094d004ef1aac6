import Testing

@testable import Node

@Suite struct BackpressureTests {
    /// Observes each number in turn; what the credit is after it, and whether it changed.
    private func credits(_ pressure: Backpressure, _ waiting: [Int]) -> [String] {
        var pressure = pressure
        return waiting.map { count in
            let changed = pressure.observe(waiting: count)
            return "\(pressure.credit)\(changed ? "!" : "")"
        }
    }

    @Test func creditShrinksWhenTheDiskFallsBehindAndComesBackLate() {
        let pressure = Backpressure(waitingMax: 800, fullCredit: 1000)
        #expect(credits(pressure, [399, 400, 800, 101, 100, 0]) == ["1000", "250!", "250", "250", "1000!", "1000"])
    }

    @Test func creditIsNeverNothing() {
        #expect(credits(Backpressure(waitingMax: 1, fullCredit: 1), [1]) == ["1!"])
    }
}
