/// What a pool knows about one connection.
struct PooledConnection: Sendable {
    enum Phase: Sendable, Equatable {
        case connecting(deadline: Int64)
        case open
        /// Takes no more requests; closed when the last has ended.
        case draining(deadline: Int64)
        /// `close` was said; only `closed` is awaited.
        case closing
    }

    let id: ConnectionID
    var phase: Phase
    /// The peer's MAX_CONCURRENT_STREAMS; nil until it is known (RFC 9113 6.5.2: then there is no limit).
    var peerLimit: Int?
    /// A request with a valid token was answered: until then there is one stream (Docs/APNs.md 1.3).
    var isProven = false
    var inUse = 0
    var started = 0
    var heardAt: Int64
    var pingedAt: Int64?
    var starvedSince: Int64?
    /// Errors less successes, never negative.
    var penalty = 0
    var isDistrusted = false

    var isOpen: Bool { phase == .open }
    var isConnecting: Bool { if case .connecting = phase { true } else { false } }
    /// Counted against the maximum: it takes requests now or soon.
    var isLive: Bool { isOpen || isConnecting }

    /// Most requests at once now.
    func allowed(_ settings: PoolSettings) -> Int {
        guard isOpen else { return 0 }
        var limit = settings.streamsMax
        if let peerLimit { limit = min(limit, peerLimit) }
        if !isProven { limit = min(limit, 1) }
        if isDistrusted { limit = min(limit, max(1, limit / 4)) }
        return limit
    }

    func room(_ settings: PoolSettings) -> Int { max(0, allowed(settings) - inUse) }

    mutating func heard(_ now: Moment) {
        heardAt = max(heardAt, now.bootMilliseconds)
        pingedAt = nil
    }

    /// When it is to be asked for a sign of life, or given up because it gave none.
    func lifeDeadline(_ settings: PoolSettings) -> Int64? {
        guard isOpen || isDraining else { return nil }
        if let pingedAt { return pingedAt + settings.pongTimeoutMilliseconds }
        return heardAt + (inUse > 0 ? settings.pingAfterSilenceMilliseconds : settings.pingAfterIdleMilliseconds)
    }

    var isDraining: Bool { if case .draining = phase { true } else { false } }

    /// Weighs an answer; returns whether trust was lost (false) or regained (true), if it changed.
    mutating func weigh(_ verdict: Verdict, penaltyMax: Int) -> Bool? {
        switch verdict.burden {
        case .heavy: penalty += 4
        case .error: penalty += 1
        case .none: penalty -= verdict.isAccepted ? 1 : 0
        }
        // Bounded above too, so that a long storm does not take as long to be forgiven.
        penalty = min(max(penalty, 0), 2 * penaltyMax)
        if !isDistrusted, penalty >= penaltyMax {
            isDistrusted = true
            return false
        }
        if isDistrusted, penalty <= penaltyMax / 4 {
            isDistrusted = false
            return true
        }
        return nil
    }
}
