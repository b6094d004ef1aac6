import LiveActivity
import SimulatedAPNs

/// A world with one app, one key and one open connection per listener, and short ways to ask it things.
struct TestWorld {
    static let bundle = "com.example.match"
    static let team = "TEAM123456"
    static let keyID = "KEY1234567"
    static let startMilliseconds: Int64 = 1_790_000_000_000
    static let schemaText = """
        {"types":{"Match":{"monotone":"ball","attributes":{"id":"String"},
        "contentState":{"ball":"Int","note":"String?"}}}}
        """

    var apns: SimulatedAPNs
    var now = Self.startMilliseconds
    var effects: [Effect] = []
    var nextStream: Int32 = 1
    var credential: Credential

    init(rules: Rules = Rules(), apps: [SimulatedApp]? = nil, keys: [ProviderKey]? = nil, seed: UInt64 = 7) throws {
        let document = try JSONValue(parsing: Array(Self.schemaText.utf8).span)
        apns = SimulatedAPNs(
            rules: rules, apps: apps ?? [SimulatedApp(bundleID: Self.bundle, teamID: Self.team)],
            keys: keys ?? [ProviderKey(id: Self.keyID, teamID: Self.team)],
            schemas: try ActivitySchema.read(document), seed: seed)
        credential = Self.credential()
        apns.open(connection: 1, on: .send, nowMilliseconds: now)
        apns.open(connection: 2, on: .manage, nowMilliseconds: now)
    }

    static func credential(
        serial: UInt64 = 1, key: String = keyID, team: String = team, issued: Int64 = startMilliseconds / 1000,
        verdict: TokenVerdict = .good
    ) -> Credential {
        .token(
            ProviderToken(
                serial: serial, keyID: key, teamID: team, issuedAtSeconds: issued, verdict: verdict))
    }

    // MARK: - Requests

    /// Sends a request; nil when it is not answered.
    mutating func send(
        _ fields: [(String, String)], body: String = "", on connection: UInt64 = 1, credential: Credential? = nil
    ) -> Answer? {
        var request = RequestFields()
        for (name, value) in fields { request.add(name, value) }
        let id = RequestID(connection: connection, stream: nextStream)
        nextStream += 2
        let before = effects.count
        apns.handle(
            Request(id: id, fields: request, credential: credential ?? self.credential, body: Array(body.utf8)),
            nowMilliseconds: now, into: &effects)
        for case .answer(id, let answer) in effects[before...] { return answer }
        return nil
    }

    static func deviceFields(_ token: String) -> [(String, String)] {
        [
            (":method", "POST"), (":path", "/3/device/" + token), ("apns-push-type", "liveactivity"),
            ("apns-topic", bundle + ".push-type.liveactivity"), ("apns-priority", "10"), ("apns-expiration", "0"),
        ]
    }

    static func broadcastFields(_ channel: String, expiration: String = "0") -> [(String, String)] {
        [
            (":method", "POST"), (":path", "/4/broadcasts/apps/" + bundle), ("apns-channel-id", channel),
            ("apns-push-type", "liveactivity"), ("apns-priority", "10"), ("apns-expiration", expiration),
        ]
    }

    static func channelFields(_ method: String, _ channel: String? = nil) -> [(String, String)] {
        [(":method", method), (":path", "/1/apps/\(bundle)/channels")]
            + (channel.map { [("apns-channel-id", $0)] } ?? [])
    }

    mutating func createChannel(policy: Int = 0) -> String {
        let body = "{\"message-storage-policy\":\(policy),\"push-type\":\"LiveActivity\"}"
        return send(Self.channelFields("POST"), body: body, on: 2)?.value(of: "apns-channel-id") ?? ""
    }

    /// Reason of an error answer.
    static func reason(_ answer: Answer?) -> String? {
        guard let answer, let value = try? JSONValue(parsing: answer.body.span) else { return nil }
        return value["reason"]?.string
    }

    // MARK: - Messages

    /// Seconds after the start as a stamp.
    static func stamp(_ offset: Int64) -> Int64 { startMilliseconds / 1000 + offset }

    static func body(
        _ offset: Int64, ball: Int, event: String = "update", alert: String? = nil, state: String? = nil
    ) -> String {
        let alertMember = alert.map { ",\"alert\":{\"title\":\"\($0)\",\"body\":\"b\"}" } ?? ""
        let content = state ?? "{\"ball\":\(ball)}"
        return """
            {"aps":{"timestamp":\(stamp(offset)),"event":"\(event)","content-state":\(content)\(alertMember)}}
            """
    }

    @discardableResult
    mutating func broadcast(_ channel: String, _ body: String, expiration: String = "0") -> Int? {
        send(Self.broadcastFields(channel, expiration: expiration), body: body)?.status
    }

    @discardableResult
    mutating func push(_ token: String, _ body: String, expiration: String = "0") -> Int? {
        var fields = Self.deviceFields(token)
        fields[fields.count - 1].1 = expiration
        return send(fields, body: body)?.status
    }

    /// A device with one activity on a channel.
    mutating func follower(of channel: String, online: Bool = true) throws -> (device: Int, activity: Int) {
        let device = try apns.addDevices(1, online: online).lowerBound
        let activity = try apns.follow(
            channel: channel, bundleID: Self.bundle, device: device, schema: "Match", nowMilliseconds: now)
        return (device, activity)
    }

    /// A device with one activity that has a token.
    mutating func holder(online: Bool = true) throws -> (device: Int, token: String, activity: Int) {
        let device = try apns.addDevices(1, online: online).lowerBound
        let token = try apns.addActivityToken(
            bundleID: Self.bundle, device: device, schema: "Match", nowMilliseconds: now)
        return (device, token, apns.activity(ofToken: token) ?? -1)
    }

    func shown(_ activity: Int) -> Int64? {
        apns.report(ofActivity: activity)?.stampSeconds.map { $0 - Self.stamp(0) }
    }
}
