/// Points in time on the command line.
enum TimeText {
    /// Seconds since 1970 as such, or `2026-09-21T14:13:20Z`; nil for anything else, also for milliseconds.
    static func seconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return (0..<100_000_000_000).contains(number) ? number : nil }
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")]
        let letters = Array(text)
        guard letters.count == 20, marks.allSatisfy({ letters[$0.0] == $0.1 }) else { return nil }
        func number(_ start: Int, _ count: Int, _ range: ClosedRange<Int64>) -> Int64? {
            let digits = letters[start..<start + count]
            guard digits.allSatisfy({ ("0"..."9").contains($0) }), let value = Int64(String(digits)) else { return nil }
            return range.contains(value) ? value : nil
        }
        guard let year = number(0, 4, 1970...9999), let month = number(5, 2, 1...12), let day = number(8, 2, 1...31),
            let hour = number(11, 2, 0...23), let minute = number(14, 2, 0...59), let second = number(17, 2, 0...60)
        else { return nil }
        return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    }

    /// Milliseconds since 1970 as `2026-09-21T14:13:20.123Z`.
    static func utc(milliseconds: Int64) -> String {
        func digits(_ value: Int64, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let time = max(0, milliseconds)
        let (year, month, day) = date(ofDay: time / 86_400_000)
        let seconds = time / 1000 % 86_400
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))T"
            + "\(digits(seconds / 3600, 2)):\(digits(seconds / 60 % 60, 2)):\(digits(seconds % 60, 2))"
            + ".\(digits(time % 1000, 3))Z"
    }

    /// The Gregorian date of a day since 1970-01-01; the reverse of `days`.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    /// Days since 1970-01-01 of the Gregorian calendar; the year begins in March, so that leap days come last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
