/// The two logarithms of the suspicion formulas, without a C library: equal on every machine.
enum Logarithm {
    /// Natural logarithm; 0 for what is not above 0 and finite.
    static func natural(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        let fraction = (value.significand - 1) / (value.significand + 1)
        let square = fraction * fraction
        var power = fraction
        var sum = 0.0
        for odd in stride(from: 1.0, through: 41.0, by: 2.0) {
            sum += power / odd
            power *= square
        }
        return 2 * sum + Double(value.exponent) * 0.693_147_180_559_945_3
    }

    /// Logarithm to the base of ten.
    static func decimal(_ value: Double) -> Double { natural(value) / 2.302_585_092_994_045_7 }

    /// The smallest `digits` with 10^digits >= `value`, at least 0.
    static func decimalCeiling(_ value: Int) -> Int {
        var digits = 0
        var power = 1
        while power < value, digits < 18 {
            power *= 10
            digits += 1
        }
        return digits
    }
}
