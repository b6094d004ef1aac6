internal import LiveActivity
internal import SimulatedAPNs

/// An answer of APNs as the node's shell reads it.
struct AppleAnswer: Sendable {
    var status: Int
    var reason: String?
    var sinceMilliseconds: Int64?
    var channelID: [UInt8]?
    var channelIDs: [[UInt8]] = []
    var isStored = false
}

/// What APNs does on the connections.
enum AppleEffect: Sendable {
    case answer(connection: UInt64, stream: Int32, AppleAnswer)
    case refuse(connection: UInt64, stream: Int32)
    case streams(connection: UInt64, Int)
    case cut(connection: UInt64)
    case goAway(connection: UInt64, lastStream: Int32, reason: String?)
}

/// APNs with its devices, in words that do not collide with those of the cluster.
struct AppleSide: Sendable {
    static let bundle = "com.example.shop"
    private static let topic = bundle + ".push-type.liveactivity"
    private static let schema = "Score"

    private var apns: SimulatedAPNs
    private var lastConnection: UInt64 = 0
    /// How many tokens of started activities were looked at.
    private var startsTaken = 0
    private var tokensSeen = 0
    private var effects: [Effect] = []

    init(seed: UInt64, equalStampsAreShown: Bool) {
        let shape = ActivitySchema(
            name: Self.schema,
            contentState: [
                Shape.Property("k", .integer(.int)), Shape.Property("i", .integer(.int)),
                Shape.Property("n", .integer(.int)),
            ],
            monotoneField: "n")
        let rules = Rules(
            environment: .sandbox,
            readings: Readings(stamps: StampReading(equalIsShown: equalStampsAreShown)), errorsMax: nil)
        apns = SimulatedAPNs(
            rules: rules, apps: [SimulatedApp(bundleID: Self.bundle, teamID: "TEAM000001")], keys: [],
            schemas: [shape], seed: seed)
    }

    var nextArrivalMilliseconds: Int64? { apns.nextArrivalMilliseconds }
    var wentBack: Int { apns.counters.wentBack }
    var rangTwice: Int { apns.counters.rangTwice }
    var shown: Int { apns.counters.shown }
    var rings: Int { apns.counters.rings }

    /// How late deliveries may be, and how often a connection is told to go.
    mutating func setFaults(reorderMilliseconds: Int64, goAwayAfter: Int) {
        apns.faults.reorderMilliseconds = reorderMilliseconds
        apns.faults.goAwayAfter = goAwayAfter
        apns.faults.goAwayLag = 0
    }

    /// The next requests are refused for now.
    mutating func refuse(next count: Int, overloaded: Bool) {
        apns.faults.burstRemaining = count
        apns.faults.burstReason = overloaded ? .tooManyRequests : .serviceUnavailable
    }

    mutating func advance(to now: Int64) {
        effects.removeAll(keepingCapacity: true)
        apns.advance(toMilliseconds: now, into: &effects)
    }

    // MARK: Devices

    /// A device with an activity that has a token of its own.
    mutating func addActivity(now: Int64) -> (device: Int, activity: Int, token: [UInt8])? {
        guard let device = try? apns.addDevices(1).first,
            let token = try? apns.addActivityToken(
                bundleID: Self.bundle, device: device, schema: Self.schema, byteCount: 32, nowMilliseconds: now),
            let activity = apns.activity(ofToken: token)
        else { return nil }
        return (device, activity, Array(token.utf8))
    }

    /// A device on which activities can be started.
    mutating func addStartDevice(attributesType: [UInt8]) -> (device: Int, token: [UInt8])? {
        let type = String(decoding: attributesType, as: UTF8.self)
        guard let device = try? apns.addDevices(1).first,
            let token = try? apns.addStartToken(bundleID: Self.bundle, device: device, attributesType: type)
        else { return nil }
        return (device, Array(token.utf8))
    }

    /// The activities that were started since this was asked last.
    mutating func takeStarted() -> [(device: Int, activity: Int, token: [UInt8])] {
        guard apns.counters.started > startsTaken else { return [] }
        startsTaken = apns.counters.started
        var started: [(device: Int, activity: Int, token: [UInt8])] = []
        for token in apns.tokensIssuedByStarts[tokensSeen...] {
            guard let activity = apns.activity(ofToken: token), let report = apns.report(ofActivity: activity) else {
                continue
            }
            started.append((report.device, activity, Array(token.utf8)))
        }
        tokensSeen = apns.tokensIssuedByStarts.count
        return started
    }

    /// A device that follows a channel.
    mutating func addFollower(channelID: [UInt8], now: Int64) -> (device: Int, activity: Int)? {
        let id = String(decoding: channelID, as: UTF8.self)
        guard let device = try? apns.addDevices(1).first,
            let activity = try? apns.follow(
                channel: id, bundleID: Self.bundle, device: device, schema: Self.schema, nowMilliseconds: now)
        else { return nil }
        return (device, activity)
    }

    mutating func setOnline(_ online: Bool, device: Int, now: Int64) {
        try? apns.setOnline(online, device: device, nowMilliseconds: now)
    }

    mutating func kill(token: [UInt8], now: Int64) {
        try? apns.setFate(
            .unregistered, ofToken: String(decoding: token, as: UTF8.self), nowMilliseconds: now)
    }

    /// What an activity shows: the content state's bytes, and whether it has ended.
    func shown(activity: Int) -> (state: [UInt8], hasEnded: Bool, stampSeconds: Int64?, detail: String) {
        guard let report = apns.report(ofActivity: activity) else { return ([], false, nil, "no such activity") }
        let detail = "went back \(report.wentBack), rang twice \(report.rangTwice)"
        return (report.state, report.hasEnded, report.stampSeconds, detail)
    }

    /// The first activity for which something was counted, for the text of a violation.
    func culprit(among activities: [Int], rang: Bool) -> Int? {
        activities.first { index in
            guard let report = apns.report(ofActivity: index) else { return false }
            return rang ? report.rangTwice > 0 : report.wentBack > 0
        }
    }

    // MARK: Requests

    /// A connection is opened; the client's certificate is good.
    mutating func open(manage: Bool, now: Int64) -> UInt64 {
        lastConnection += 1
        effects.removeAll(keepingCapacity: true)
        let certificate = ClientCertificate(
            isValid: true, environments: [.sandbox, .production], topics: [Self.topic, Self.bundle])
        apns.open(
            connection: lastConnection, on: manage ? .manage : .send, certificate: certificate, nowMilliseconds: now,
            into: &effects)
        return lastConnection
    }

    /// A push to a token or a broadcast on a channel.
    mutating func push(
        connection: UInt64, stream: Int32, channel: Bool, address: [UInt8], priority: UInt8, expiration: Int64,
        body: [UInt8], now: Int64
    ) -> [AppleEffect] {
        let address = String(decoding: address, as: UTF8.self)
        var fields = RequestFields()
        fields.add(":method", "POST")
        fields.add(":path", channel ? "/4/broadcasts/apps/\(Self.bundle)" : "/3/device/\(address)")
        fields.add("apns-push-type", "liveactivity")
        fields.add("apns-priority", String(priority))
        fields.add("apns-expiration", String(max(0, expiration)))
        if channel { fields.add("apns-channel-id", address) } else { fields.add("apns-topic", Self.topic) }
        return handle(connection, stream, fields, body, now)
    }

    /// A request about channels.
    mutating func manage(
        connection: UInt64, stream: Int32, method: String, all: Bool, channelID: [UInt8]?, body: String, now: Int64
    ) -> [AppleEffect] {
        var fields = RequestFields()
        fields.add(":method", method)
        fields.add(":path", "/1/apps/\(Self.bundle)/\(all ? "all-channels" : "channels")")
        if let channelID { fields.add("apns-channel-id", String(decoding: channelID, as: UTF8.self)) }
        return handle(connection, stream, fields, Array(body.utf8), now)
    }

    private mutating func handle(
        _ connection: UInt64, _ stream: Int32, _ fields: RequestFields, _ body: [UInt8], _ now: Int64
    ) -> [AppleEffect] {
        effects.removeAll(keepingCapacity: true)
        let request = Request(
            id: RequestID(connection: connection, stream: stream), fields: fields, credential: .missing, body: body)
        apns.handle(request, nowMilliseconds: now, into: &effects)
        return effects.map(Self.translate)
    }

    private static func translate(_ effect: Effect) -> AppleEffect {
        switch effect {
        case .answer(let id, let answer): .answer(connection: id.connection, stream: id.stream, read(answer))
        case .refuse(let id): .refuse(connection: id.connection, stream: id.stream)
        case .setMaxConcurrentStreams(let connection, let count): .streams(connection: connection, count)
        case .cut(let connection): .cut(connection: connection)
        case .goAway(let connection, let last, let data):
            .goAway(
                connection: connection, lastStream: last,
                reason: (try? JSONValue(parsing: Array(data.utf8).span))?["reason"]?.string)
        }
    }

    private static func read(_ answer: Answer) -> AppleAnswer {
        var read = AppleAnswer(status: answer.status)
        read.channelID = answer.value(of: "apns-channel-id").map { Array($0.utf8) }
        guard !answer.body.isEmpty, let body = try? JSONValue(parsing: answer.body.span) else { return read }
        read.reason = body["reason"]?.string
        read.sinceMilliseconds = body["timestamp"]?.integer
        read.isStored = body["message-storage-policy"]?.integer == 1
        read.channelIDs = (body["channels"]?.array ?? []).compactMap { $0.string.map { Array($0.utf8) } }
        return read
    }
}
