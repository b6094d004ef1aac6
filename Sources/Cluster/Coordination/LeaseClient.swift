public import Wire

/// How long leases last and how they are renewed, in milliseconds.
public struct LeaseSettings: Hashable, Sendable {
    /// How often a member asks.
    public var heartbeatMilliseconds: Int64
    /// What a member takes off for clocks that do not run alike, beside a twentieth of the lease.
    public var marginMilliseconds: Int64
    /// How long an unanswered request is believed to be under way before another node is asked.
    public var patienceMilliseconds: Int64

    /// Makes settings.
    public init(
        heartbeatMilliseconds: Int64 = 300, marginMilliseconds: Int64 = 50, patienceMilliseconds: Int64 = 450
    ) {
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.marginMilliseconds = marginMilliseconds
        self.patienceMilliseconds = patienceMilliseconds
    }
}

/// What a lease client wants done.
public enum LeaseEffect: Hashable, Sendable {
    /// Send it on the control plane, or to this node's own coordinator when it is addressed to this node itself.
    case send(CoordinationMessage, to: NodeID)
    /// The lease was renewed; it ends then, in milliseconds since boot.
    case renewed(until: Int64)
    /// The coordinator gives none for this reason; what is held runs out by itself.
    case refused(LeaseRefusal)
}

/// The side of the leases that every member has: asks the coordinator again and again, and knows how long it may act.
public struct LeaseClient: Sendable {
    /// Requests whose answers are still taken.
    private static let requestsMax = 16

    private struct Request: Hashable {
        var number: UInt64
        var sent: Int64
        var node: NodeID
    }

    /// A lease that counts once the log is applied up to `index`.
    private struct Grant: Hashable {
        var end: Int64
        var index: UInt64
    }

    private let settings: LeaseSettings
    /// Waiting for the log, oldest first.
    private var grants: [Grant] = []
    private var requests: [Request] = []
    private var lastNumber: UInt64 = 0
    private var term: UInt64 = 0
    private var nextRequest = Int64.min
    private var turn = 0
    /// Until then nobody need be suspected of not being the coordinator.
    private var patientUntil = Int64.min

    /// When to ask again while being admitted, in milliseconds; doubles up to the heartbeat.
    private var admissionPause: Int64 = 20

    /// When the lease ends, in milliseconds since boot; a past time when there is none.
    public private(set) var until = Int64.min
    /// Who gave the last lease or is said to give them.
    public private(set) var coordinator: NodeID?

    /// Holds no lease. Answers to an earlier run are not taken: the numbers of requests begin at a random place.
    public init(settings: LeaseSettings, random: UInt64) {
        self.settings = settings
        lastNumber = random >> 1
    }

    /// Whether the node may act at that moment, in milliseconds since boot.
    public func isHeld(at now: Int64) -> Bool { now < until }

    /// When `tick` wants to be called, in milliseconds since boot.
    public var nextDeadline: Int64 { nextRequest }

    /// Consensus says who leads; nil, or no call at all, when it does not know.
    public mutating func know(coordinator: NodeID?, now: Int64) {
        guard let coordinator, coordinator != self.coordinator else { return }
        follow(coordinator, now: now)
        nextRequest = now
    }

    /// Asks at the next tick: the node describes itself otherwise, and the coordinator is to know.
    public mutating func hurry() { nextRequest = .min }

    /// Gives up what is held and asks for nothing until `tick` is called again: the node stops.
    public mutating func end() {
        until = Int64.min
        requests = []
        grants = []
    }

    /// The node has applied the log up to `index`: leases that waited for that count.
    public mutating func applied(upTo index: UInt64, into effects: inout [LeaseEffect]) {
        guard !grants.isEmpty else { return }
        let end = grants.reduce(Int64.min) { $1.index <= index ? max($0, $1.end) : $0 }
        grants.removeAll { $0.index <= index }
        guard end > until else { return }
        until = end
        effects.append(.renewed(until: end))
    }

    /// Asks when it is time. `voters`: whom to ask when nobody knows the coordinator.
    public mutating func tick(
        me: Member, voters: [NodeID], wallMilliseconds: Int64, now: Int64, into effects: inout [LeaseEffect]
    ) {
        guard now >= nextRequest else { return }
        nextRequest = now + settings.heartbeatMilliseconds
        if coordinator != nil, now >= patientUntil { coordinator = nil }
        guard let node = coordinator ?? nextVoter(of: voters) else { return }
        lastNumber &+= 1
        requests.append(Request(number: lastNumber, sent: now, node: node))
        if requests.count > Self.requestsMax { requests.removeFirst() }
        effects.append(
            .send(.leaseRequest(request: lastNumber, me, wallMilliseconds: wallMilliseconds), to: node))
    }

    private mutating func nextVoter(of voters: [NodeID]) -> NodeID? {
        guard !voters.isEmpty else { return nil }
        turn = (turn + 1) % voters.count
        return voters.sorted()[turn]
    }

    private mutating func follow(_ node: NodeID, now: Int64) {
        coordinator = node
        patientUntil = now + settings.heartbeatMilliseconds + settings.patienceMilliseconds
    }

    /// Takes an answer; a lease counts after the next `applied`. Everything that answers no request of this run, or
    /// comes of an earlier term, is ignored.
    public mutating func handle(
        _ message: CoordinationMessage, from node: NodeID, now: Int64, into effects: inout [LeaseEffect]
    ) {
        switch message {
        case .lease(let request, let term, let milliseconds, let index):
            guard let sent = take(request, from: node), accept(term) else { return }
            follow(node, now: now)
            let length = Int64(milliseconds)
            let end = sent + length - length / 20 - settings.marginMilliseconds
            if grants.count == Self.requestsMax { grants.removeFirst() }
            grants.append(Grant(end: end, index: index))
        case .leaseRefused(let request, let term, let reason):
            guard take(request, from: node) != nil, accept(term) else { return }
            follow(node, now: now)
            // Admission is a log entry away, or for ever when the name is taken.
            if reason == .notAdmitted {
                nextRequest = min(nextRequest, now + admissionPause)
                admissionPause = min(2 * admissionPause, settings.heartbeatMilliseconds)
            }
            effects.append(.refused(reason))
        case .notCoordinator(let request, let other):
            guard take(request, from: node) != nil, coordinator == nil || coordinator == node else { return }
            guard other != .none, other != node else {
                coordinator = nil
                return
            }
            follow(other, now: now)
            nextRequest = min(nextRequest, now + settings.heartbeatMilliseconds / 4)
        case .charter, .leaseRequest, .progress, .handOver, .acceptLoss, .waiting, .channelLost,
            .tokenRefused, .served:
            return
        }
    }

    /// The moment at which the request was sent; each is answered once.
    private mutating func take(_ number: UInt64, from node: NodeID) -> Int64? {
        guard let index = requests.firstIndex(where: { $0.number == number && $0.node == node }) else { return nil }
        return requests.remove(at: index).sent
    }

    private mutating func accept(_ term: UInt64) -> Bool {
        guard term >= self.term else { return false }
        self.term = term
        return true
    }
}
