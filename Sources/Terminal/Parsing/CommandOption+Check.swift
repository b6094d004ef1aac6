internal import Codes

extension CommandOption {
    /// Checks a value, without saying where it came from.
    func check(_ value: String) -> Result<String, Fault> {
        switch kind {
        case .flag:
            return ["true", "1", "false", "0"].contains(value.lowercased())
                ? .success(["true", "1"].contains(value.lowercased()) ? "true" : "false")
                : bad(value, "true or false")
        case .text: return .success(value)
        case .path: return value.isEmpty ? bad(value, "a path") : .success(value)
        case .integer(let range):
            guard let number = Int(value), range.contains(number) else {
                return bad(value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return .success(String(number))
        case .word(let words):
            guard words.contains(value) else {
                let guess = Suggestion.phrase(for: value, among: words)
                return bad(value, "one of \(words.joined(separator: ", "))", guess)
            }
            return .success(value)
        case .duration:
            return DurationText.milliseconds(value) == nil
                ? bad(value, "a time with its unit, like 250ms, 5s, 2m or 1h") : .success(value)
        }
    }

    private func bad(_ value: String, _ expected: String, _ guess: String = "") -> Result<String, Fault> {
        .failure(Fault(.badOptionValue, "'\(Printable.text(value))' is not \(expected)\(guess)"))
    }
}

/// Times as people write them.
public enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
    ]

    /// `250ms`, `5s`, `2m`, `1h` in milliseconds; nil for anything else, a number without a unit among it.
    public static func milliseconds(_ text: String) -> Int64? {
        for (suffix, factor) in units where text.hasSuffix(suffix) {
            guard let number = Int64(text.dropLast(suffix.count)), number >= 0 else { continue }
            let (product, overflow) = number.multipliedReportingOverflow(by: factor)
            return overflow ? nil : product
        }
        return nil
    }
}
