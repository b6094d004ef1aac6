/// Reads the `Date` header: IMF-fixdate of RFC 9110 5.6.7, the only form that servers may send.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map { Array($0.utf8) }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` as seconds since 1970; nil for anything else. The name of the day is not
    /// checked.
    static func seconds(_ text: some Collection<UInt8>) -> Int64? {
        let bytes = Array(text)
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[4] == 0x20, bytes[7] == 0x20, bytes[11] == 0x20,
            bytes[16] == 0x20, bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":"),
            bytes[25...].elementsEqual(" GMT".utf8)
        else { return nil }
        guard let day = number(bytes[5..<7]), let month = months.firstIndex(of: Array(bytes[8..<11])),
            let year = number(bytes[12..<16]), let hour = number(bytes[17..<19]),
            let minute = number(bytes[20..<22]), let second = number(bytes[23..<25]),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        return days(year: year, month: Int64(month) + 1, day: day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - 0x30)
        }
        return value
    }

    /// Days since 1970-01-01 in the Gregorian calendar; years count from March so that the leap day comes last.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
