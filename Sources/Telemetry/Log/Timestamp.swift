/// ISO 8601 in UTC with milliseconds, without a calendar library.
public enum Timestamp {
    /// `2026-05-26T16:00:00.000Z` for milliseconds since 1970. Years 0000 to 9999; beyond, the nearest of them.
    public static func text(_ milliseconds: Int64) -> String {
        var bytes: [UInt8] = []
        append(milliseconds, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the 24 bytes of `text`.
    static func append(_ milliseconds: Int64, to output: inout [UInt8]) {
        let milliseconds = min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let days = milliseconds.flooredQuotient(86_400_000)
        let rest = milliseconds - days * 86_400_000
        let (year, month, day) = civil(days)
        digits(year, 4, &output)
        output.append(UInt8(ascii: "-"))
        digits(month, 2, &output)
        output.append(UInt8(ascii: "-"))
        digits(day, 2, &output)
        output.append(UInt8(ascii: "T"))
        digits(rest / 3_600_000, 2, &output)
        output.append(UInt8(ascii: ":"))
        digits(rest / 60_000 % 60, 2, &output)
        output.append(UInt8(ascii: ":"))
        digits(rest / 1000 % 60, 2, &output)
        output.append(UInt8(ascii: "."))
        digits(rest % 1000, 3, &output)
        output.append(UInt8(ascii: "Z"))
    }

    /// Days since 1970 to a date of the proleptic Gregorian calendar, counting in eras of 400 years that begin in
    /// March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func digits(_ value: Int64, _ count: Int, _ output: inout [UInt8]) {
        if count > 3 { output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 1000 % 10)) }
        if count > 2 { output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 100 % 10)) }
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10))
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10))
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
