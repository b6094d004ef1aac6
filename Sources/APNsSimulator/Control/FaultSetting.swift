internal import LiveActivity
public import SimulatedAPNs

/// One fault to be switched by `SimulatorControl.setFaults`.
public enum FaultSetting: Sendable, Hashable {
    /// Everything off, answers at once; put it first.
    case clear
    /// One request in so many is carried out but never answered; 0: none.
    case unansweredOneIn(Int)
    /// One request in so many is reset with REFUSED_STREAM and not carried out; 0: none.
    case refusedOneIn(Int)
    /// Connections are cut without a word after so many requests; 0: never.
    case cutAfter(Int)
    /// Every connection with an accepted token may have so many streams from now on.
    case streams(Int)
    /// GOAWAY after so many requests of a connection, when `lag` more have come, which are not carried out; 0: none.
    case goAway(after: Int, lag: Int = 0, reason: Reason? = nil)
    /// The next `count` requests are refused.
    case burst(Int, Reason = .tooManyRequests, retryAfterSeconds: Int? = nil)
    /// Answers take so long.
    case delayMilliseconds(Int)
    /// Deliveries take up to so long and overtake each other.
    case reorderMilliseconds(Int)
    /// One delivery in so many is lost; 0: none.
    case lostOneIn(Int)
    /// Misbehaviour that a checker has to notice; nil: none.
    case sabotage(Faults.Sabotage?)

    var members: [JSONValue.Member] {
        switch self {
        case .clear: return [JSONValue.Member("clear", .bool(true))]
        case .unansweredOneIn(let count): return [Self.member("unanswered_one_in", count)]
        case .refusedOneIn(let count): return [Self.member("refused_one_in", count)]
        case .cutAfter(let count): return [Self.member("cut_after", count)]
        case .streams(let count): return [Self.member("streams", count)]
        case .goAway(let after, let lag, let reason):
            let members = [Self.member("goaway_after", after), Self.member("goaway_lag", lag)]
            return members + (reason.map { [JSONValue.Member("goaway_reason", .string($0.rawValue))] } ?? [])
        case .burst(let count, let reason, let retryAfter):
            let members = [Self.member("burst", count), JSONValue.Member("burst_reason", .string(reason.rawValue))]
            return members + (retryAfter.map { [Self.member("retry_after_s", $0)] } ?? [])
        case .delayMilliseconds(let delay): return [Self.member("delay_ms", delay)]
        case .reorderMilliseconds(let latest): return [Self.member("reorder_ms", latest)]
        case .lostOneIn(let count): return [Self.member("lost_one_in", count)]
        case .sabotage(let sabotage): return [JSONValue.Member("sabotage", .string(sabotage?.rawValue ?? "none"))]
        }
    }

    private static func member(_ name: String, _ count: Int) -> JSONValue.Member {
        JSONValue.Member(name, .integer(Int64(count)))
    }
}
