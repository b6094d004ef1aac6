/// Compares the clock with the `Date` header of APNs' answers and says so once per change of state. Pure.
struct ClockSkew: Sendable, Equatable {
    enum Change: Sendable, Equatable {
        /// The clock is off; positive: ours is behind.
        case skewed(seconds: Int64)
        /// It agrees again.
        case agrees
    }

    /// Off by this much: reported. HTTP dates have whole seconds, and an answer may be some seconds under way.
    static let skewSecondsMin: Int64 = 30
    /// Within this: agrees again.
    static let agreementSecondsMax: Int64 = 10

    private static let skewSecondsMax: Int64 = 100 * 366 * 86_400

    /// The skew last reported, in seconds; 0 when the clock agrees.
    private(set) var reportedSeconds: Int64 = 0

    /// Notes a server date; returns a change that should be said.
    mutating func observe(serverSeconds: Int64, wallSeconds: Int64) -> Change? {
        let (difference, overflow) = serverSeconds.subtractingReportingOverflow(wallSeconds)
        // The server chooses one side of this: held to a century so that nothing below can overflow.
        guard !overflow else { return nil }
        let skew = min(max(difference, -Self.skewSecondsMax), Self.skewSecondsMax)
        if abs(skew) >= Self.skewSecondsMin {
            // A skew that merely creeps is the same state; one that jumps is worth saying again.
            let moved = abs(skew - reportedSeconds) >= max(Self.skewSecondsMin, abs(reportedSeconds) / 2)
            guard reportedSeconds == 0 || moved else { return nil }
            reportedSeconds = skew
            return .skewed(seconds: skew)
        }
        guard reportedSeconds != 0, abs(skew) <= Self.agreementSecondsMax else { return nil }
        reportedSeconds = 0
        return .agrees
    }
}
