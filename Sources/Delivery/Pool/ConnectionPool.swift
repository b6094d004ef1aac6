/// The connections of one origin (one app's credentials towards one host), as a machine without sockets. Runs on an
/// apns loop.
///
/// ### What it holds to
/// One stream on a connection until the first answer to a valid token, then the least of the configured limit and
/// the peer's as it changes. A connection that got GOAWAY leaves at once and is replaced at once; its requests
/// finish. New connections are bounded in number, wait longer after each failure, and are limited in rate. Refused
/// credentials stop the pool until a trial succeeds.
///
/// ### Use
/// Tell it how many requests wait (`need`), ask `choose` before each request and say `requestStarted`; every
/// request ends with one `requestFinished`, or together with its connection by `closed`. Say `heard` whenever bytes
/// came in, and call `tick` when `nextDeadline` passes. Inputs about unknown connections are counted and ignored.
public struct ConnectionPool: Sendable {
    /// The knobs, each within its range.
    public let settings: PoolSettings
    /// What happened so far.
    public private(set) var counters = PoolCounters()

    private var connections: [PooledConnection] = []
    private var waiting = 0
    private var isStarted = false
    private var isShuttingDown = false
    private var lastID: UInt64 = 0
    private var failures = 0
    private var connectNotBefore = Int64.min
    /// Since when there is no connection that is open, in milliseconds since boot; nil while there is one.
    private var lostAt: Int64?
    private var churn: TokenBucket
    private var isChurnReported = false
    private var circuit = Circuit()
    private var random: SplitMix64

    /// Makes a pool without connections; `seed` decides the jitter of its waits.
    public init(settings: PoolSettings = PoolSettings(), seed: UInt64, now: Moment) {
        self.settings = settings.bounded()
        random = SplitMix64(seed: seed)
        churn = TokenBucket(settings.churn, bootMilliseconds: now.bootMilliseconds)
    }

    // MARK: State

    /// How many more requests may start now.
    public var room: Int {
        if circuit.isOpen { return 0 }
        let sum = connections.reduce(0) { $0 + $1.room(settings) }
        return circuit.isTrying ? min(sum, max(0, 1 - inUse)) : sum
    }

    /// Requests under way on all connections.
    public var inUse: Int { connections.reduce(0) { $0 + $1.inUse } }

    /// Connections that take requests or are being opened.
    public var liveCount: Int { connections.reduce(0) { $0 + ($1.isLive ? 1 : 0) } }

    /// Connections of any kind, draining and closing ones among them; 0 after `shutDown` means that it is done.
    public var count: Int { connections.count }

    /// Whether nothing is sent because APNs refuses the credentials.
    public var isRefused: Bool { circuit.isOpen || circuit.isTrying }

    /// Whether APNs can be reached, by connections that are open and have not been given up as silent.
    public var reach: Reach {
        guard let lostAt else { return isStarted ? .reached : .idle }
        guard isStarted, !isShuttingDown, !isRefused, liveCount > 0 || wantsConnection else { return .idle }
        return .lost(since: lostAt)
    }

    /// Streams that a connection may carry now; nil for one that the pool does not know.
    public func allowed(_ id: ConnectionID) -> Int? {
        connections.first { $0.id == id }?.allowed(settings)
    }

    /// The connection for the next request: the least loaded one with room; nil when there is none. Among equals
    /// one that still has to prove itself goes first, because only an answer opens it to more than one stream.
    public func choose() -> ConnectionID? {
        guard !circuit.isOpen, !circuit.isTrying || inUse == 0 else { return nil }
        var best: (load: Int, at: Int)?
        for (at, connection) in connections.enumerated() where connection.room(settings) > 0 {
            let load = connection.inUse * 2 + (connection.isProven ? 1 : 0)
            if best == nil || load < best!.load { best = (load, at) }
        }
        return best.map { connections[$0.at].id }
    }

    /// When `tick` is due, in milliseconds since boot.
    public var nextDeadline: Int64? {
        var next = circuit.deadline
        func consider(_ time: Int64?) {
            if let time { next = next.map { min($0, time) } ?? time }
        }
        for connection in connections {
            switch connection.phase {
            case .connecting(let deadline), .draining(let deadline): consider(deadline)
            case .open: consider(starvedDeadline(connection))
            case .closing: break
            }
            consider(connection.lifeDeadline(settings))
        }
        if wantsConnection { consider(max(connectNotBefore, churn.nextTokenAt)) }
        return next
    }

    // MARK: Inputs from the lanes

    /// How many requests wait for a connection; opens connections as needed. Cheap to call often.
    public mutating func need(waiting: Int, now: Moment, into effects: inout [PoolEffect]) {
        self.waiting = max(0, waiting)
        if waiting > 0 { isStarted = true }
        grow(now, &effects)
    }

    /// Opens the minimum of connections before anything waits, so that the first request finds one.
    public mutating func start(now: Moment, into effects: inout [PoolEffect]) {
        isStarted = true
        grow(now, &effects)
    }

    /// A request was handed to a connection that `choose` named.
    public mutating func requestStarted(_ id: ConnectionID, now: Moment, into effects: inout [PoolEffect]) {
        guard let at = find(id) else { return counters.ignored += 1 }
        if connections[at].room(settings) == 0 { counters.overcommitted += 1 }
        counters.started += 1
        // Silence counts from here: an idle connection may have been quiet for long.
        if connections[at].inUse == 0 { connections[at].heardAt = max(connections[at].heardAt, now.bootMilliseconds) }
        connections[at].inUse += 1
        connections[at].started += 1
        if connections[at].started >= settings.requestsPerConnectionMax, connections[at].isOpen {
            drain(at, now, &effects)
            grow(now, &effects)
        }
    }

    /// A request ended while its connection lives on.
    public mutating func requestFinished(
        _ id: ConnectionID, _ end: RequestEnd, now: Moment, into effects: inout [PoolEffect]
    ) {
        guard let at = find(id), connections[at].inUse > 0 else { return counters.ignored += 1 }
        connections[at].inUse -= 1
        switch end {
        case .answered(let verdict):
            connections[at].heard(now)
            consider(verdict, at, now, &effects)
        case .reset: connections[at].heard(now)
        case .timedOut: break
        }
        closeIfDrained(id, &effects)
        grow(now, &effects)
    }

    // MARK: Inputs from the connections

    /// A connection is ready. `limit` is MAX_CONCURRENT_STREAMS, nil when the peer's SETTINGS name none.
    public mutating func opened(_ id: ConnectionID, limit: Int?, now: Moment, into effects: inout [PoolEffect]) {
        guard let at = find(id), connections[at].isConnecting else { return counters.ignored += 1 }
        connections[at].heard(now)
        connections[at].phase = .open
        lostAt = nil
        setLimit(at, limit, now)
        grow(now, &effects)
    }

    /// New SETTINGS changed MAX_CONCURRENT_STREAMS.
    public mutating func peerLimit(_ id: ConnectionID, _ limit: Int, now: Moment, into effects: inout [PoolEffect]) {
        guard let at = find(id) else { return counters.ignored += 1 }
        connections[at].heard(now)
        setLimit(at, limit, now)
        grow(now, &effects)
    }

    /// Bytes came in: the connection lives.
    public mutating func heard(_ id: ConnectionID, now: Moment) {
        guard let at = find(id) else { return counters.ignored += 1 }
        connections[at].heard(now)
    }

    /// The answer to a PING came in.
    public mutating func pong(_ id: ConnectionID, now: Moment) {
        heard(id, now: now)
    }

    /// The peer said GOAWAY.
    /// - Parameters:
    ///   - reason: of its debug data, if that could be read.
    ///   - calm: whether the error code was ENHANCE_YOUR_CALM: the peer finds us too eager.
    public mutating func goAway(
        _ id: ConnectionID, reason: Reason?, calm: Bool = false, now: Moment, into effects: inout [PoolEffect]
    ) {
        guard let at = find(id), connections[at].phase != .closing else { return counters.ignored += 1 }
        connections[at].heard(now)
        guard connections[at].isLive else { return counters.ignored += 1 }
        counters.goAways += 1
        if calm || !connections[at].isProven { noteFailure(now) }
        connections[at].phase = .draining(deadline: now.bootMilliseconds + settings.drainTimeoutMilliseconds)
        if let reason { considerGoAway(reason, now, &effects) }
        closeIfDrained(id, &effects)
        grow(now, &effects)
    }

    /// A connection has ended, and with it every request on it; also when it could not be opened.
    public mutating func closed(
        _ id: ConnectionID, _ cause: CloseCause, now: Moment, into effects: inout [PoolEffect]
    ) {
        guard let at = find(id) else { return counters.ignored += 1 }
        let connection = connections.remove(at: at)
        noteLoss(now.bootMilliseconds)
        // One that never answered tells of trouble at the peer; one that served and ended does not.
        if connection.isLive, !connection.isProven { noteFailure(now) }
        if cause == .credentialsRefused { refuse("certificate refused", now, atOnce: true, &effects) }
        grow(now, &effects)
    }

    // MARK: Inputs from time and operator

    /// Time passed: call at `nextDeadline`.
    public mutating func tick(now: Moment, into effects: inout [PoolEffect]) {
        circuit.tick(now)
        for at in connections.indices { check(at, now, &effects) }
        grow(now, &effects)
    }

    /// The credentials were replaced: every connection is bound to the old ones, so all are drained; a stopped pool
    /// tries at once.
    public mutating func credentialsChanged(now: Moment, into effects: inout [PoolEffect]) {
        circuit.renew()
        failures = 0
        connectNotBefore = .min
        drainAll(now, &effects)
        grow(now, &effects)
    }

    /// Ends everything: no new connections, those there finish their requests.
    public mutating func shutDown(now: Moment, into effects: inout [PoolEffect]) {
        isShuttingDown = true
        drainAll(now, &effects)
    }

    // MARK: Growing

    private var wantsConnection: Bool {
        guard isStarted, !isShuttingDown, !circuit.isOpen else { return false }
        let live = liveCount
        if circuit.isTrying { return live == 0 && (waiting > 0 || settings.connectionsMin > 0) }
        if live < settings.connectionsMin { return true }
        guard live < settings.connectionsMax, waiting > room else { return false }
        // One that is being opened, or that shows its real limit after its first answer, may be all that is needed.
        return !connections.contains { $0.isConnecting || $0.isOpen && !$0.isProven && $0.allowed(settings) > 0 }
    }

    private mutating func grow(_ now: Moment, _ effects: inout [PoolEffect]) {
        while wantsConnection {
            guard now.bootMilliseconds >= connectNotBefore else { return }
            churn.refill(bootMilliseconds: now.bootMilliseconds)
            guard churn.holds(1) else {
                if !isChurnReported { effects.append(.report(.churnLimited)) }
                isChurnReported = true
                return
            }
            churn.take(1)
            isChurnReported = false
            connect(now, &effects)
        }
    }

    private mutating func connect(_ now: Moment, _ effects: inout [PoolEffect]) {
        lastID += 1
        counters.connects += 1
        let id = ConnectionID(rawValue: lastID)
        let deadline = now.bootMilliseconds + settings.connectTimeoutMilliseconds
        connections.append(
            PooledConnection(id: id, phase: .connecting(deadline: deadline), heardAt: now.bootMilliseconds))
        noteLoss(now.bootMilliseconds)
        effects.append(.connect(id))
    }

    private mutating func noteLoss(_ time: Int64) {
        guard lostAt == nil, !connections.contains(where: { $0.isOpen || $0.isDraining }) else { return }
        lostAt = time
    }

    private mutating func noteFailure(_ now: Moment) {
        counters.failedConnects += 1
        failures = min(failures + 1, 64)
        let wait = settings.connect.delay(failures: failures, random: &random)
        connectNotBefore = max(connectNotBefore, now.bootMilliseconds + wait)
    }

    // MARK: Answers

    private mutating func consider(_ verdict: Verdict, _ at: Int, _ now: Moment, _ effects: inout [PoolEffect]) {
        let id = connections[at].id
        if let trusted = connections[at].weigh(verdict, penaltyMax: settings.penaltyMax) {
            effects.append(.report(trusted ? .trusted(id) : .distrusted(id)))
        }
        if verdict.provesCredentials {
            connections[at].isProven = true
            failures = 0
            if circuit.believed() { effects.append(.report(.credentialsAccepted)) }
        }
        if verdict.closesConnection, connections[at].isOpen { drain(at, now, &effects) }
        if case .configuration(.credentials) = verdict.reaction {
            refuse(verdict.answer.text, now, atOnce: false, &effects)
        }
    }

    /// Certificate trouble may be said in a GOAWAY only (Docs/APNs.md 1.4); it is classified like an answer's reason.
    private mutating func considerGoAway(_ reason: Reason, _ now: Moment, _ effects: inout [PoolEffect]) {
        let verdict = AnswerClassifier.classify(.device, Answer(status: 400, reason: reason))
        guard case .configuration(.credentials) = verdict.reaction else { return }
        refuse(reason.text, now, atOnce: true, &effects)
    }

    private mutating func refuse(
        _ reason: String, _ now: Moment, atOnce: Bool, _ effects: inout [PoolEffect]
    ) {
        guard let wait = circuit.refused(now, at: atOnce, settings: settings, random: &random) else { return }
        counters.refusals += 1
        effects.append(.report(.credentialsRefused(reason: reason, retryInMilliseconds: wait)))
        drainAll(now, &effects)
    }

    // MARK: Draining and closing

    private func find(_ id: ConnectionID) -> Int? { connections.firstIndex { $0.id == id } }

    private mutating func setLimit(_ at: Int, _ limit: Int?, _ now: Moment) {
        connections[at].peerLimit = limit.map { max(0, $0) }
        let starved = connections[at].peerLimit == 0
        connections[at].starvedSince = starved ? connections[at].starvedSince ?? now.bootMilliseconds : nil
    }

    private mutating func drain(_ at: Int, _ now: Moment, _ effects: inout [PoolEffect]) {
        connections[at].phase = .draining(deadline: now.bootMilliseconds + settings.drainTimeoutMilliseconds)
        effects.append(.drain(connections[at].id))
    }

    private mutating func drainAll(_ now: Moment, _ effects: inout [PoolEffect]) {
        for at in connections.indices {
            switch connections[at].phase {
            case .connecting: close(at, .unwanted, &effects)
            case .open:
                drain(at, now, &effects)
                closeIfDrained(connections[at].id, &effects)
            case .draining, .closing: break
            }
        }
    }

    private mutating func closeIfDrained(_ id: ConnectionID, _ effects: inout [PoolEffect]) {
        guard let at = find(id), connections[at].isDraining, connections[at].inUse == 0 else { return }
        close(at, .drained, &effects)
    }

    private mutating func close(_ at: Int, _ reason: CloseReason, _ effects: inout [PoolEffect]) {
        connections[at].phase = .closing
        effects.append(.close(connections[at].id, reason))
    }

    private mutating func check(_ at: Int, _ now: Moment, _ effects: inout [PoolEffect]) {
        switch connections[at].phase {
        case .connecting(let deadline) where deadline <= now.bootMilliseconds:
            noteFailure(now)
            close(at, .connectTimeout, &effects)
        case .draining(let deadline) where deadline <= now.bootMilliseconds: close(at, .drainTimeout, &effects)
        case .open, .draining: checkLife(at, now, &effects)
        case .connecting, .closing: break
        }
        guard let starved = starvedDeadline(connections[at]), starved <= now.bootMilliseconds else { return }
        drain(at, now, &effects)
        closeIfDrained(connections[at].id, &effects)
    }

    private func starvedDeadline(_ connection: PooledConnection) -> Int64? {
        guard waiting > 0, connection.isOpen else { return nil }
        return connection.starvedSince.map { $0 + settings.starvedAfterMilliseconds }
    }

    private mutating func checkLife(_ at: Int, _ now: Moment, _ effects: inout [PoolEffect]) {
        guard let deadline = connections[at].lifeDeadline(settings), deadline <= now.bootMilliseconds else { return }
        if let askedAt = connections[at].pingedAt {
            close(at, .silent, &effects)
            return noteLoss(askedAt)
        }
        connections[at].pingedAt = now.bootMilliseconds
        effects.append(.ping(connections[at].id))
    }
}
