/// Numbers as people read them; JSON output has the raw ones.
public enum Humanised {
    /// `1,234,567`.
    public static func count(_ value: some BinaryInteger) -> String {
        let digits = Array(String(value.magnitude))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + text
    }

    /// `512 B`, `4.0 KiB`, `1.5 GiB`.
    public static func bytes(_ value: Int64) -> String {
        guard value.magnitude >= 1024 else { return "\(value) B" }
        var scaled = Double(value) / 1024
        var unit = 0
        let units = ["KiB", "MiB", "GiB", "TiB"]
        while scaled.magnitude >= 1024 && unit < units.count - 1 {
            scaled /= 1024
            unit += 1
        }
        return fixed(scaled, 1) + " " + units[unit]
    }

    /// Three digits and a unit: `850 ns`, `12.3 µs`, `4.56 ms`, `1.23 s`; from a minute on `2m 05s`, `3h 12m`, `2d 4h`.
    public static func duration(nanoseconds: Int64) -> String {
        guard nanoseconds >= 0 else { return "-" + duration(nanoseconds: -max(nanoseconds, -.max)) }
        let seconds = nanoseconds / 1_000_000_000
        switch nanoseconds {
        case ..<1000: return "\(nanoseconds) ns"
        case ..<1_000_000: return threeDigits(Double(nanoseconds) / 1e3) + " µs"
        case ..<1_000_000_000: return threeDigits(Double(nanoseconds) / 1e6) + " ms"
        case ..<60_000_000_000: return threeDigits(Double(nanoseconds) / 1e9) + " s"
        case ..<3_600_000_000_000: return "\(seconds / 60)m \(twoDigits(seconds % 60))s"
        case ..<86_400_000_000_000: return "\(seconds / 3600)h \(twoDigits(seconds / 60 % 60))m"
        default: return "\(seconds / 86_400)d \(seconds / 3600 % 24)h"
        }
    }

    /// The same for milliseconds.
    public static func duration(milliseconds: Int64) -> String {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        return duration(nanoseconds: overflow ? .max : nanoseconds)
    }

    /// `0.4/s`, `12.5/s`, `1,234/s`.
    public static func rate(_ perSecond: Double) -> String {
        guard perSecond.isFinite else { return "-" }
        return (perSecond < 100 ? fixed(perSecond, 1) : count(Int64(perSecond.rounded()))) + "/s"
    }

    /// A number with so many digits behind the point.
    public static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite, value.magnitude < 1e15 else { return String(value) }
        var factor: Int64 = 1
        for _ in 0..<decimals { factor *= 10 }
        let scaled = Int64((value.magnitude * Double(factor)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + String(scaled) }
        let digits = String(scaled % factor)
        return "\(sign)\(scaled / factor)." + String(repeating: "0", count: decimals - digits.count) + digits
    }

    private static func threeDigits(_ value: Double) -> String {
        fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : String(value)
    }
}
