internal import Cluster
internal import Delivery

/// One apns loop of one node: lanes and a connection pool with a view of the lease of their own, which may lag behind
/// the core's. The lease is checked when items are chosen and once more before their bytes are flushed.
struct SendingLoop: Sendable {
    private struct Flight: Sendable {
        var connection: ConnectionID
        var destination: Destination
        var item: PushItem
        var isWritten = false
    }

    private static let outlets = [Outlet(app: 0, broadcast: true), Outlet(app: 0, broadcast: false)]

    private(set) var lanes: LaneTable
    private(set) var pool: ConnectionPool
    /// As far as this loop knows, in milliseconds since boot.
    private(set) var leaseUntil = Int64.min
    private var flights: [UInt64: Flight] = [:]
    /// Chosen, not yet flushed, in order.
    private var outbox: [UInt64] = []
    /// Whether the lease is not looked at: a fault.
    private let ignoresLease: Bool
    private var laneEffects: [LaneEffect] = []
    private var poolEffects: [PoolEffect] = []

    init(seed: UInt64, now: Moment, mutant: Mutant?) {
        var settings = LaneSettings(lanesMax: 4_096)
        settings.serverError = BackOff(baseMilliseconds: 500, maxMilliseconds: 4_000)
        settings.throttled = BackOff(baseMilliseconds: 500, maxMilliseconds: 4_000)
        if mutant == .staleStampSent { settings.stampAgeMaxMilliseconds = .max / 2 }
        lanes = LaneTable(settings: settings, seed: seed)
        var pool = PoolSettings()
        pool.connectionsMax = 2
        pool.connect = BackOff(baseMilliseconds: 250, maxMilliseconds: 2_000)
        pool.churn = Budget(capacity: 100, refillPerSecond: 5)
        self.pool = ConnectionPool(settings: pool, seed: seed, now: now)
        ignoresLease = mutant == .sendWithoutLease
    }

    private func mayWrite(_ now: Moment) -> Bool { ignoresLease || now.bootMilliseconds < leaseUntil }

    /// When `run` is due, in milliseconds since boot.
    var nextDeadline: Int64? {
        let lane = lanes.nextDeadline
        guard let pool = pool.nextDeadline else { return lane }
        return lane.map { min($0, pool) } ?? pool
    }

    // MARK: Mail and time

    mutating func take(_ mail: SendingMail, now: Moment, into effects: inout [SendingEffect]) {
        switch mail {
        case .offer(let item, let places):
            for place in places { lanes.offer(item, to: place, now: now, into: &laneEffects) }
        case .withdraw(let tickets): lanes.withdraw(tickets: tickets, now: now)
        case .lease(let until): leaseUntil = until
        }
        settle(now, &effects)
    }

    /// Time has passed, or there is mail: wakes what is due and chooses what there is room for.
    mutating func run(now: Moment, into effects: inout [SendingEffect]) {
        if let due = lanes.nextDeadline, due <= now.bootMilliseconds { lanes.tick(now: now, into: &laneEffects) }
        if let due = pool.nextDeadline, due <= now.bootMilliseconds { pool.tick(now: now, into: &poolEffects) }
        settle(now, &effects)
        choose(now, &effects)
    }

    private mutating func choose(_ now: Moment, _ effects: inout [SendingEffect]) {
        guard mayWrite(now) else { return }
        let waiting = Self.outlets.reduce(0) { $0 + lanes.readyCount($1) }
        pool.need(waiting: waiting, now: now, into: &poolEffects)
        let before = outbox.count
        for outlet in Self.outlets where pool.room > 0 {
            lanes.dispatch(outlet, atMost: pool.room, now: now, into: &laneEffects)
            settle(now, &effects)
        }
        settle(now, &effects)
        if outbox.count > before { effects.append(.chosen) }
    }

    /// Writes what was chosen. When the lease has ended in between, nothing leaves: the connections are given up and
    /// what was not written counts as not processed.
    mutating func flush(now: Moment, into effects: inout [SendingEffect]) {
        guard !outbox.isEmpty else { return }
        guard mayWrite(now) else { return giveUp(now, &effects) }
        let ready = outbox
        outbox.removeAll(keepingCapacity: true)
        for id in ready {
            guard var flight = flights[id] else { continue }
            flight.isWritten = true
            flights[id] = flight
            effects.append(
                .write(SendID(rawValue: id), connection: flight.connection, flight.destination, flight.item))
        }
    }

    private mutating func giveUp(_ now: Moment, _ effects: inout [SendingEffect]) {
        var connections: [ConnectionID] = []
        for id in outbox {
            if let connection = flights[id]?.connection, !connections.contains(connection) {
                connections.append(connection)
            }
        }
        for connection in connections {
            effects.append(.close(connection))
            closed(connection, .transient, now: now, into: &effects)
        }
    }

    // MARK: What APNs says

    mutating func opened(_ id: ConnectionID, limit: Int, now: Moment, into effects: inout [SendingEffect]) {
        pool.opened(id, limit: limit, now: now, into: &poolEffects)
        settle(now, &effects)
    }

    mutating func limit(_ id: ConnectionID, _ limit: Int, now: Moment, into effects: inout [SendingEffect]) {
        pool.peerLimit(id, limit, now: now, into: &poolEffects)
        settle(now, &effects)
    }

    mutating func pong(_ id: ConnectionID, now: Moment) { pool.pong(id, now: now) }

    mutating func answered(_ id: SendID, _ answer: Answer, now: Moment, into effects: inout [SendingEffect]) {
        guard let flight = flights.removeValue(forKey: id.rawValue) else { return }
        let verdict = AnswerClassifier.classify(Operation(flight.destination.kind), answer)
        lanes.answered(id, verdict, now: now, into: &laneEffects)
        pool.requestFinished(flight.connection, .answered(verdict), now: now, into: &poolEffects)
        settle(now, &effects)
    }

    /// No answer came in time, or the request was reset.
    mutating func failed(_ id: SendID, isReset: Bool, now: Moment, into effects: inout [SendingEffect]) {
        guard let flight = flights.removeValue(forKey: id.rawValue) else { return }
        lanes.failed(id, isReset ? .unprocessed : .unknown, now: now, into: &laneEffects)
        pool.requestFinished(flight.connection, isReset ? .reset : .timedOut, now: now, into: &poolEffects)
        settle(now, &effects)
    }

    mutating func goAway(
        _ id: ConnectionID, reason: String?, unprocessed: [SendID], now: Moment, into effects: inout [SendingEffect]
    ) {
        pool.goAway(id, reason: reason.map { Reason($0) }, now: now, into: &poolEffects)
        for flight in unprocessed { failed(flight, isReset: true, now: now, into: &effects) }
        settle(now, &effects)
    }

    /// A connection has ended, and all requests on it.
    mutating func closed(_ id: ConnectionID, _ cause: CloseCause, now: Moment, into effects: inout [SendingEffect]) {
        let ended = flights.filter { $0.value.connection == id }.keys.sorted()
        for flight in ended {
            let isWritten = flights.removeValue(forKey: flight)?.isWritten ?? false
            lanes.failed(
                SendID(rawValue: flight), isWritten ? .unknown : .unprocessed, now: now, into: &laneEffects)
        }
        outbox.removeAll { ended.contains($0) }
        pool.closed(id, cause, now: now, into: &poolEffects)
        settle(now, &effects)
    }

    // MARK: Effects

    /// Works off what lanes and pool want, until they want nothing more.
    private mutating func settle(_ now: Moment, _ effects: inout [SendingEffect]) {
        var reports: [LaneReport] = []
        while !laneEffects.isEmpty {
            let batch = laneEffects
            laneEffects.removeAll(keepingCapacity: true)
            for effect in batch {
                switch effect {
                case .report(let report): reports.append(report)
                case .send(let id, let place, let item): depart(id, place, item, now)
                }
            }
        }
        if !reports.isEmpty { effects.append(.report(reports)) }
        for effect in poolEffects {
            switch effect {
            case .connect(let id): effects.append(.connect(id))
            case .close(let id, _): effects.append(.close(id))
            case .ping(let id): effects.append(.ping(id))
            case .drain, .report: break
            }
        }
        poolEffects.removeAll(keepingCapacity: true)
    }

    private mutating func depart(_ id: SendID, _ place: Destination, _ item: PushItem, _ now: Moment) {
        guard let connection = pool.choose() else {
            lanes.failed(id, .unprocessed, now: now, into: &laneEffects)
            return
        }
        pool.requestStarted(connection, now: now, into: &poolEffects)
        flights[id.rawValue] = Flight(connection: connection, destination: place, item: item)
        outbox.append(id.rawValue)
    }
}
