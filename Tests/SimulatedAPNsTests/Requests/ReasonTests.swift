import LiveActivity
import SimulatedAPNs
import Testing

/// Every reason that a request can bring about, by the smallest change to a good one.
@Suite struct ReasonTests {
    /// What is changed: fields replaced (empty value: removed), body, credential.
    struct Spoiled: Sendable, CustomTestStringConvertible {
        let reason: Reason
        var set: [String: String] = [:]
        var twice: String?
        var body: String?
        var credential: Credential?
        var testDescription: String { "\(reason.rawValue) \(set)" }
    }

    static let credentials: [Spoiled] = [
        Spoiled(reason: .missingProviderToken, credential: .missing),
        Spoiled(reason: .invalidProviderToken, credential: .malformed),
        Spoiled(reason: .invalidProviderToken, credential: TestWorld.credential(verdict: .bad)),
        Spoiled(reason: .invalidProviderToken, credential: TestWorld.credential(verdict: .unknownKey)),
        Spoiled(reason: .invalidProviderToken, credential: TestWorld.credential(team: "OTHERTEAM1")),
        Spoiled(reason: .expiredProviderToken, credential: TestWorld.credential(issued: TestWorld.stamp(-3601))),
        Spoiled(reason: .invalidProviderToken, credential: TestWorld.credential(issued: TestWorld.stamp(3601))),
    ]

    static let device: [Spoiled] =
        credentials + [
            Spoiled(reason: .badPath, set: [":path": "/3/devices/ab"]),
            Spoiled(reason: .badPath, set: [":path": "/3/device/ab/cd"]),
            Spoiled(reason: .badPath, set: [":path": "/1/apps/\(TestWorld.bundle)/channels"]),
            Spoiled(reason: .methodNotAllowed, set: [":method": "GET"]),
            Spoiled(reason: .duplicateHeaders, twice: "apns-topic"),
            Spoiled(reason: .badMessageID, set: ["apns-id": "12"]),
            Spoiled(reason: .missingDeviceToken, set: [":path": "/3/device/"]),
            Spoiled(reason: .missingDeviceToken, set: [":path": "/3/device"]),
            Spoiled(reason: .invalidPushType, set: ["apns-push-type": "LiveActivity"]),
            Spoiled(reason: .missingTopic, set: ["apns-topic": ""]),
            Spoiled(reason: .badTopic, set: ["apns-topic": "com.example_match"]),
            Spoiled(reason: .topicDisallowed, set: ["apns-topic": TestWorld.bundle]),
            Spoiled(reason: .topicDisallowed, set: ["apns-topic": "com.other.push-type.liveactivity"]),
            Spoiled(reason: .badPriority, set: ["apns-priority": "7"]),
            Spoiled(reason: .badExpirationDate, set: ["apns-expiration": "tomorrow"]),
            Spoiled(reason: .badExpirationDate, set: ["apns-expiration": "-1"]),
            Spoiled(reason: .badCollapseID, set: ["apns-collapse-id": String(repeating: "c", count: 65)]),
            Spoiled(reason: .payloadEmpty, body: ""),
            Spoiled(reason: .payloadTooLarge, body: String(repeating: " ", count: 4097)),
            Spoiled(reason: .badDeviceToken, set: [":path": "/3/device/xyz"]),
            Spoiled(reason: .badDeviceToken, set: [":path": "/3/device/" + String(repeating: "0", count: 64)]),
        ]

    static let broadcast: [Spoiled] =
        credentials + [
            Spoiled(reason: .badPath, set: [":path": "/4/broadcasts/apps/"]),
            Spoiled(reason: .methodNotAllowed, set: [":method": "PUT"]),
            Spoiled(reason: .badMessageID, set: ["apns-request-id": "x"]),
            Spoiled(reason: .badMessageID, set: ["apns-id": "x"]),
            Spoiled(
                reason: .topicDisallowed,
                set: [":path": "/4/broadcasts/apps/\(TestWorld.bundle).push-type.liveactivity"]),
            Spoiled(reason: .topicMismatch, set: [":path": "/4/broadcasts/apps/com.example.Match"]),
            Spoiled(reason: .missingPushType, set: ["apns-push-type": ""]),
            Spoiled(reason: .invalidPushType, set: ["apns-push-type": "alert"]),
            Spoiled(reason: .badPriority, set: ["apns-priority": ""]),
            Spoiled(reason: .badExpirationDate, set: ["apns-expiration": ""]),
            Spoiled(reason: .badExpirationDate, set: ["apns-expiration": "1790000100"]),
            Spoiled(reason: .payloadEmpty, body: ""),
            Spoiled(reason: .payloadTooLarge, body: String(repeating: " ", count: 5121)),
            Spoiled(reason: .missingChannelID, set: ["apns-channel-id": ""]),
            Spoiled(reason: .badChannelID, set: ["apns-channel-id": "not base64!"]),
            Spoiled(reason: .channelNotRegistered, set: ["apns-channel-id": "AAAAAAAAAAAAAAAAAAAAAA=="]),
        ]

    static let creation: [Spoiled] =
        credentials + [
            Spoiled(reason: .badPath, set: [":path": "/1/apps//channels"]),
            Spoiled(reason: .badPath, set: [":path": "/1/apps/\(TestWorld.bundle)/channels/x"]),
            Spoiled(reason: .badPath, set: [":path": "/3/device/00"]),
            Spoiled(reason: .methodNotAllowed, set: [":method": "PATCH"]),
            Spoiled(reason: .topicMismatch, set: [":path": "/1/apps/com.other/channels"]),
            Spoiled(reason: .badRequestPayload, body: "{"),
            Spoiled(reason: .badRequestPayload, body: "[]"),
            Spoiled(reason: .badRequestParams, body: "{\"name\":1,\"push-type\":\"LiveActivity\"}"),
            Spoiled(reason: .badRequestParams, body: "{\"message-storage-policy\":2,\"push-type\":\"LiveActivity\"}"),
            Spoiled(reason: .missingPushType, body: "{\"message-storage-policy\":0}"),
            Spoiled(reason: .invalidPushType, body: "{\"message-storage-policy\":0,\"push-type\":\"alert\"}"),
        ]

    private func spoil(_ fields: [(String, String)], _ spoiled: Spoiled) -> [(String, String)] {
        var fields = fields.filter { spoiled.set[$0.0] == nil }
        fields += spoiled.set.filter { !$0.value.isEmpty }.map { ($0.key, $0.value) }
        if let name = spoiled.twice { fields += fields.filter { $0.0 == name } }
        return fields
    }

    @Test(arguments: device) func devicePush(_ spoiled: Spoiled) throws {
        var world = try TestWorld()
        let holder = try world.holder()
        let fields = TestWorld.deviceFields(holder.token)
        #expect(world.send(fields, body: TestWorld.body(0, ball: 1))?.status == 200)
        let answer = world.send(
            spoil(fields, spoiled), body: spoiled.body ?? TestWorld.body(1, ball: 2), credential: spoiled.credential)
        #expect(TestWorld.reason(answer) == spoiled.reason.rawValue)
        #expect(answer?.status == spoiled.reason.status)
        #expect(answer?.value(of: "apns-id") != nil)
        #expect(answer?.value(of: "content-type") == "application/json")
        #expect(world.apns.counters.refused == [spoiled.reason: 1])
    }

    @Test(arguments: broadcast) func broadcastSend(_ spoiled: Spoiled) throws {
        var world = try TestWorld()
        let fields = TestWorld.broadcastFields(world.createChannel())
        #expect(world.send(fields, body: TestWorld.body(0, ball: 1))?.status == 200)
        let answer = world.send(
            spoil(fields, spoiled), body: spoiled.body ?? TestWorld.body(1, ball: 2), credential: spoiled.credential)
        #expect(TestWorld.reason(answer) == spoiled.reason.rawValue)
        #expect(answer?.status == spoiled.reason.status)
    }

    @Test(arguments: creation) func channelCreation(_ spoiled: Spoiled) throws {
        var world = try TestWorld()
        #expect(!world.createChannel().isEmpty)
        let body = spoiled.body ?? "{\"message-storage-policy\":0,\"push-type\":\"LiveActivity\"}"
        let answer = world.send(
            spoil(TestWorld.channelFields("POST"), spoiled), body: body, on: 2, credential: spoiled.credential)
        #expect(TestWorld.reason(answer) == spoiled.reason.rawValue)
        #expect(answer?.status == spoiled.reason.status)
        #expect(answer?.value(of: "apns-request-id") != nil)
    }

    @Test func deadTokens() throws {
        var world = try TestWorld()
        let fates: [(SimulatedAPNs.TokenFate, String)] = [
            (.unregistered, "Unregistered"), (.expired, "ExpiredToken"), (.otherEnvironment, "BadDeviceToken"),
        ]
        for (fate, reason) in fates {
            let token = try world.holder().token
            try world.apns.setFate(fate, ofToken: token, nowMilliseconds: world.now)
            let answer = world.send(TestWorld.deviceFields(token), body: TestWorld.body(0, ball: 1))
            #expect(TestWorld.reason(answer) == reason)
            let bytes = answer?.body ?? []
            let value = try JSONValue(parsing: bytes.span)
            #expect(value["timestamp"]?.integer == (answer?.status == 410 ? world.now : nil))
        }
    }

    @Test func tokensOfOtherTopics() throws {
        var world = try TestWorld(apps: [
            SimulatedApp(bundleID: TestWorld.bundle, teamID: TestWorld.team),
            SimulatedApp(bundleID: "com.example.other", teamID: TestWorld.team),
        ])
        let device = try world.apns.addDevices(1).lowerBound
        let other = try world.apns.addActivityToken(
            bundleID: "com.example.other", device: device, nowMilliseconds: world.now)
        let ordinary = try world.apns.addOrdinaryToken(bundleID: TestWorld.bundle, device: device)
        for token in [other, ordinary] {
            let answer = world.send(TestWorld.deviceFields(token), body: TestWorld.body(0, ball: 1))
            #expect(TestWorld.reason(answer) == "DeviceTokenNotForTopic")
        }
    }

    @Test func featureOffAndLimit() throws {
        var world = try TestWorld(apps: [
            SimulatedApp(bundleID: TestWorld.bundle, teamID: TestWorld.team, channelsMax: 2),
            SimulatedApp(bundleID: "com.example.off", teamID: TestWorld.team, broadcastEnabled: false),
        ])
        let off = world.send([(":method", "GET"), (":path", "/1/apps/com.example.off/all-channels")], on: 2)
        #expect(TestWorld.reason(off) == "FeatureNotEnabled")
        #expect(!world.createChannel().isEmpty)
        #expect(!world.createChannel().isEmpty)
        let body = "{\"message-storage-policy\":0,\"push-type\":\"LiveActivity\"}"
        let answer = world.send(TestWorld.channelFields("POST"), body: body, on: 2)
        #expect(TestWorld.reason(answer) == "CannotCreateChannelConfig")
    }

    @Test func ratePerDestination() throws {
        var world = try TestWorld(rules: Rules(pushBurst: 2, pushRefillMilliseconds: 1000))
        let channel = world.createChannel()
        let statuses = (0..<3).map { world.broadcast(channel, TestWorld.body($0, ball: Int($0))) }
        #expect(statuses == [200, 200, 429])
        world.now += 1000
        #expect(world.broadcast(channel, TestWorld.body(4, ball: 4)) == 200)
        #expect(world.broadcast(channel, TestWorld.body(5, ball: 5)) == 429)
        #expect(world.broadcast(world.createChannel(), TestWorld.body(4, ball: 4)) == 200)
    }

    @Test func burstsOfAnyReason() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        for reason: Reason in [.tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown, .forbidden] {
            world.apns.faults = Faults(burstRemaining: 1, burstReason: reason, burstRetryAfterSeconds: 3)
            let answer = world.send(TestWorld.broadcastFields(channel), body: TestWorld.body(0, ball: 0))
            #expect(answer?.status == reason.status)
            #expect(answer?.value(of: "retry-after") == "3")
            #expect(world.broadcast(channel, TestWorld.body(1, ball: 1)) == 200)
        }
    }
}
