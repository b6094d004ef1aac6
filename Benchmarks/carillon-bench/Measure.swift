import Loops

/// Interleaved measurement: every subject once per round, so that a busy machine slows all of them alike.
enum Measure {
    /// Runs each body `repetitions` times in each of `rounds` rounds; the median nanoseconds per repetition of each.
    static func interleaved(rounds: Int, repetitions: Int, _ bodies: [() -> Void]) -> [Double] {
        var times = bodies.map { _ in [Double]() }
        for body in bodies { body() }
        for _ in 0..<rounds {
            for (index, body) in bodies.enumerated() {
                let start = Clock.monotonicNanoseconds()
                for _ in 0..<repetitions { body() }
                times[index].append(Double(Clock.monotonicNanoseconds() - start) / Double(repetitions))
            }
        }
        return times.map(median)
    }

    /// The middle value; 0 of none.
    static func median(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.sorted()[values.count / 2]
    }

    /// Pads to a column.
    static func column(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// Two decimals.
    static func decimals(_ value: Double) -> String {
        let hundredths = Int(value * 100 + 0.5)
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }
}
