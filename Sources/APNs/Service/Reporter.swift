internal import Codes
internal import Loops

/// Turns what happens again and again into notices that are said once per change of state.
///
/// Threads: any.
final class Reporter: Sendable {
    /// What a notice is about; each has one state per app.
    enum Topic: UInt8, Sendable, Hashable {
        case connection
        case management
        case token
        case environment
        case clock
    }

    private struct Subject: Hashable {
        var topic: Topic
        var app: UInt16?
    }

    private struct State {
        var raised: [Subject: Code] = [:]
        var skew = ClockSkew()
    }

    private let state = Lock(State())
    private let sink: @Sendable (APNsNotice) -> Void

    init(_ sink: @escaping @Sendable (APNsNotice) -> Void) { self.sink = sink }

    /// Says `fault` unless the same kind of trouble was the last thing said about this topic and app.
    func raise(_ topic: Topic, _ level: APNsNotice.Level, _ fault: Fault, app: UInt16?) {
        let subject = Subject(topic: topic, app: app)
        let changed = state.withLock { $0.raised.updateValue(fault.code, forKey: subject) != fault.code }
        if changed { sink(APNsNotice(level, fault, app: app)) }
    }

    /// The trouble of this topic is over; `fault` says so if there was any.
    func clear(_ topic: Topic, saying fault: Fault?, app: UInt16?) {
        let subject = Subject(topic: topic, app: app)
        let changed = state.withLock { $0.raised.removeValue(forKey: subject) != nil }
        if changed, let fault { sink(APNsNotice(.info, fault, app: app)) }
    }

    /// Compares a `Date` header with our clock. Cheap, but there is no need to call it for every answer.
    func observe(date: some Collection<UInt8>, wallMilliseconds: Int64) {
        guard let server = HTTPDate.seconds(date) else { return }
        let change = state.withLock { $0.skew.observe(serverSeconds: server, wallSeconds: wallMilliseconds / 1000) }
        switch change {
        case nil: break
        case .agrees: sink(APNsNotice(.info, Fault(.clockAgrees)))
        case .skewed(let seconds):
            let side = seconds > 0 ? "behind" : "ahead"
            let detail = "the clock is \(abs(seconds)) s \(side) by the Date header"
            sink(APNsNotice(.error, Fault(.clockSkew, detail)))
        }
    }

    /// Seconds that our clock is behind APNs, as last reported; 0 when it agrees.
    var skewSeconds: Int64 { state.withLock { $0.skew.reportedSeconds } }
}
