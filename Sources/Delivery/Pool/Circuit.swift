/// Whether APNs believes the credentials of an origin. A refusal concerns every request alike, so after a few the
/// pool stops and only tries now and then: hammering with wrong credentials looks like an attack.
struct Circuit: Sendable {
    enum State: Sendable, Equatable {
        /// Requests flow; so many refusals came in a row.
        case closed(refusals: Int)
        /// Nothing is sent until then.
        case open(untilMilliseconds: Int64)
        /// One request at a time finds out.
        case trying
    }

    private(set) var state = State.closed(refusals: 0)
    /// Times in a row that it opened; decides the wait.
    private var openings = 0

    var isOpen: Bool { if case .open = state { true } else { false } }
    var isTrying: Bool { state == .trying }
    var deadline: Int64? { if case .open(let until) = state { until } else { nil } }

    /// Notes a refusal; returns the wait in milliseconds when the circuit opens now.
    mutating func refused(
        _ now: Moment, at once: Bool, settings: PoolSettings, random: inout SplitMix64
    ) -> Int64? {
        switch state {
        case .open: return nil
        case .closed(let refusals) where !once && refusals + 1 < settings.refusalsMax:
            state = .closed(refusals: refusals + 1)
            return nil
        case .closed, .trying:
            openings = min(openings + 1, 64)
            let wait = settings.circuit.delay(failures: openings, random: &random)
            state = .open(untilMilliseconds: now.bootMilliseconds + wait)
            return wait
        }
    }

    /// Notes that credentials were believed; true when that ends a trial.
    mutating func believed() -> Bool {
        // An answer that was still under way when the circuit opened proves nothing about now.
        guard !isOpen else { return false }
        let ended = isTrying
        state = .closed(refusals: 0)
        openings = 0
        return ended
    }

    /// Lets one request find out, once the time has come.
    mutating func tick(_ now: Moment) {
        if let deadline, deadline <= now.bootMilliseconds { state = .trying }
    }

    /// New credentials: find out at once.
    mutating func renew() {
        if isOpen { state = .trying }
    }
}
