public import LiveActivity

/// APNs and its devices as one value: requests go in with the time, answers and connection orders come out as effects,
/// and what arrives on devices is kept inside. Two worlds with the same seed and inputs are equal in everything.
///
/// The order of checks is in `Check`; where Apple leaves something open, `Readings` says what happens; what goes wrong
/// on purpose is in `faults`.
public struct SimulatedAPNs: Sendable {
    /// How it behaves; a change counts from the next request on.
    public var rules: Rules
    /// What goes wrong on purpose from the next request on.
    public var faults = Faults()

    /// What was counted.
    public internal(set) var counters = Counters()

    var apps: [String: SimulatedApp] = [:]
    var keys: [String: ProviderKey] = [:]
    var schemas: [ActivitySchema] = []
    var connections: [UInt64: Connection] = [:]
    var channels: [String: Channel] = [:]
    /// Channel IDs of each app in the order of their creation.
    var channelIDs: [String: [String]] = [:]
    var tokens: [String: PushToken] = [:]
    /// Update tokens that activities started by push received, in the order of the starts.
    var issuedTokens: [String] = []
    /// Management requests that each app may still make, by bundle ID.
    var operations: [String: Bucket] = [:]
    var devices: [Device] = []
    var activities: [Activity] = []
    var standing: [StandingFollowers] = []
    var underWay = DeliveryQueue()
    var messageIDs = MessageIDMemory(capacity: Limits.messageIDsRemembered)
    var random: SplitMix64
    var sequence: UInt64 = 0
    var requestCount: UInt64 = 0

    /// A world with these apps and keys and no device yet.
    public init(
        rules: Rules, apps: [SimulatedApp], keys: [ProviderKey], schemas: [ActivitySchema] = [], seed: UInt64
    ) {
        self.rules = rules
        self.schemas = schemas
        random = SplitMix64(seed: seed)
        for app in apps { self.apps[app.bundleID] = app }
        for key in keys { self.keys[key.id] = key }
    }

    /// A client has connected without a certificate; `connection` is new. It may have `Rules.streamsAtFirst` streams
    /// open until the world says otherwise.
    public mutating func open(connection: UInt64, on listener: ListenerKind, nowMilliseconds: Int64) {
        connections[connection] = Connection(
            listener: listener, certificate: nil, streams: rules.streamsAtFirst, nowMilliseconds: nowMilliseconds)
    }

    /// A client has connected with a certificate; `connection` is new. A good certificate gives it all its streams at
    /// once.
    public mutating func open(
        connection: UInt64, on listener: ListenerKind, certificate: ClientCertificate, nowMilliseconds: Int64,
        into effects: inout [Effect]
    ) {
        connections[connection] = Connection(
            listener: listener, certificate: certificate, streams: rules.streamsAtFirst,
            nowMilliseconds: nowMilliseconds)
        guard let trouble = certificate.trouble(in: rules.environment) else {
            return setStreams(connection, streamsAllowed, &effects)
        }
        guard rules.readings.certificateTroubleIsGoAway else { return }
        sendGoAway(connection, lastStream: 0, reason: trouble, into: &effects)
    }

    /// The connection is gone.
    public mutating func close(connection: UInt64) {
        connections[connection] = nil
    }

    /// Lets time pass: what is under way arrives, idle connections are told to go.
    public mutating func advance(toMilliseconds now: Int64, into effects: inout [Effect]) {
        while let delivery = underWay.pop(dueBy: now) { arrive(delivery, now) }
        guard let limit = rules.idleMilliseconds, !rules.idleIsAnswered else { return }
        let idle = connections.filter { now - $0.value.lastRequestMilliseconds >= limit && $0.value.phase == .open }
        for number in idle.keys.sorted() {
            sendGoAway(number, lastStream: .max, reason: .idleTimeout, into: &effects)
        }
    }

    /// When the next delivery arrives, milliseconds since 1970; nil when nothing is under way.
    public var nextArrivalMilliseconds: Int64? { underWay.nextDue }

    /// Starts counting anew; what devices show and remember to have rung stays.
    public mutating func resetCounters() {
        counters = Counters()
        for index in activities.indices { activities[index].resetCounters() }
    }

    func schemaIndex(_ name: String) -> Int? { schemas.firstIndex { $0.name == name } }
}

/// The latest accepted message IDs, to notice one that comes again.
struct MessageIDMemory: Sendable {
    private let capacity: Int
    private var ring: [UUIDBits] = []
    private var next = 0
    private var known: Set<UUIDBits> = []

    init(capacity: Int) { self.capacity = capacity }

    /// Remembers `id`; true when it was known.
    mutating func insert(_ id: UUIDBits) -> Bool {
        guard known.insert(id).inserted else { return true }
        if ring.count < capacity {
            ring.append(id)
        } else {
            known.remove(ring[next])
            ring[next] = id
            next = (next + 1) % capacity
        }
        return false
    }
}
