internal import LiveActivity
internal import SimulatedAPNs

/// The table. An app `com.example.match` of team `SIMTEAM001` is there, in the sandbox.
extension Provocation {
    static let bundle = "com.example.match"
    static let team = "SIMTEAM001"
    static let all: [Provocation] =
        ofDevicePushes + ofSends + ofChannels + ofAccounts + ofCertificates + ofTokens + ofConnections + ofServers

    private static let pushes: [Operation] = [.device, .start]
    private static let sends: [Operation] = [.device, .start, .broadcast]
    private static let manages: [Operation] = [.create, .read, .delete, .list]
    private static let ofApps: [Operation] = [.broadcast, .create, .read, .delete, .list]
    private static let ofOneChannel: [Operation] = [.broadcast, .read, .delete]
    private static let every = Operation.allCases

    private static let ofDevicePushes: [Provocation] = [
        Provocation(.badCollapseID, pushes, [.long("apns-collapse-id", Limits.collapseIDBytes + 1)]),
        Provocation(.badDeviceToken, pushes, [.token("xyz")]),
        Provocation(.badDeviceToken, pushes, [.token(String(repeating: "0", count: 64))]),
        Provocation(.badDeviceToken, pushes, [fate("other-environment")]),
        Provocation(.badTopic, pushes, [.set("apns-topic", "com.example_match")]),
        Provocation(
            .deviceTokenNotForTopic, pushes,
            [addOther, .set("apns-topic", "com.example.other.push-type.liveactivity")]),
        Provocation(.missingDeviceToken, pushes, [.token("")]),
        Provocation(.missingTopic, pushes, [.remove("apns-topic")]),
        Provocation(.topicDisallowed, pushes, [.set("apns-topic", bundle)]),
        Provocation(.expiredToken, pushes, [fate("expired")]),
        Provocation(.unregistered, pushes, [fate("unregistered")]),
    ]

    private static let ofSends: [Provocation] = [
        Provocation(.badExpirationDate, sends, [.set("apns-expiration", "tomorrow")]),
        Provocation(.badExpirationDate, [.broadcast], [.remove("apns-expiration")]),
        Provocation(.badExpirationDate, [.broadcast], [.set("apns-expiration", "4102444800")]),
        Provocation(.badPriority, sends, [.set("apns-priority", "7")]),
        Provocation(.badPriority, [.broadcast], [.remove("apns-priority")]),
        Provocation(.invalidPushType, sends, [.set("apns-push-type", "banner")]),
        Provocation(.missingPushType, [.broadcast], [.remove("apns-push-type")]),
        Provocation(.payloadEmpty, sends, [.body(.empty)]),
        Provocation(.payloadTooLarge, sends, [.body(.tooLong)]),
        Provocation(
            .badRequestPayload, sends,
            [rules("refuses_unreadable_bodies", .bool(true)), .body(.text("[]"))]),
    ]

    private static let ofChannels: [Provocation] = [
        Provocation(.missingChannelID, ofOneChannel, [.remove("apns-channel-id")]),
        Provocation(.badChannelID, ofOneChannel, [.set("apns-channel-id", "not base64!")]),
        Provocation(.badChannelID, ofOneChannel, [.long("apns-channel-id", Limits.channelIDBytes + 4)]),
        Provocation(.channelNotRegistered, ofOneChannel, [.set("apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAA==")]),
        Provocation(.channelNotRegistered, ofOneChannel, [addOther, .bundle("com.example.other")]),
        Provocation(.channelNotRegistered, [.delete], [.before([])]),
        Provocation(.badRequestPayload, [.create], [.body(.text("{"))]),
        Provocation(.badRequestPayload, [.create], [.body(.empty)]),
        Provocation(
            .badRequestParams, [.create],
            [.body(.text(#"{"message-storage-policy":0,"push-type":"LiveActivity","name":"x"}"#))]),
        Provocation(
            .badRequestParams, [.create], [.body(.text(#"{"message-storage-policy":2,"push-type":"LiveActivity"}"#))]),
        Provocation(.missingPushType, [.create], [.body(.text(#"{"message-storage-policy":0}"#))]),
        Provocation(
            .invalidPushType, [.create], [.body(.text(#"{"message-storage-policy":0,"push-type":"alert"}"#))]),
        Provocation(
            .cannotCreateChannelConfig, [.create], [addApp(bundle, JSONValue.Member("channels_max", .integer(0)))]),
    ]

    private static let ofAccounts: [Provocation] = [
        Provocation(.topicDisallowed, ofApps, [.bundle(bundle + ".push-type.liveactivity")]),
        Provocation(.topicMismatch, ofApps, [.bundle("com.example.unknown")]),
        Provocation(
            .topicMismatch, ofApps,
            [addOther, addKey("TOPICKEY01", topicsOf: "com.example.other"), .sign(.key("TOPICKEY01"))]),
        Provocation(
            .topicDisallowed, pushes,
            [addOther, addKey("TOPICKEY01", topicsOf: "com.example.other"), .sign(.key("TOPICKEY01"))]),
        Provocation(
            .featureNotEnabled, ofApps,
            [addApp("com.example.quiet", JSONValue.Member("broadcast", .bool(false))), .bundle("com.example.quiet")]),
    ]

    private static let ofCertificates: [Provocation] = [
        Provocation(.badCertificate, every, [.certificate(.stranger)]),
        Provocation(.badCertificate, every, [.certificate(.expired)]),
        Provocation(.badCertificateEnvironment, every, [.certificate(.otherEnvironment)]),
        Provocation(.topicDisallowed, pushes, [.certificate(.otherTopics)]),
        Provocation(.topicMismatch, ofApps, [.certificate(.otherTopics)]),
        Provocation(
            .badCertificate, [.device, .list],
            [rules("certificate_trouble_is_goaway", .bool(true)), .certificate(.expired)], arrival: .goAway),
        Provocation(
            .badCertificateEnvironment, [.device, .list],
            [rules("certificate_trouble_is_goaway", .bool(true)), .certificate(.otherEnvironment)], arrival: .goAway),
    ]

    private static let ofTokens: [Provocation] = [
        Provocation(.missingProviderToken, every, [.sign(.nothing)]),
        Provocation(.invalidProviderToken, every, [.sign(.malformed)]),
        Provocation(.invalidProviderToken, every, [.sign(.forged)]),
        Provocation(.invalidProviderToken, every, [.sign(.unknownKey)]),
        Provocation(.invalidProviderToken, every, [.sign(.otherTeam)]),
        Provocation(.invalidProviderToken, every, [.sign(.age(seconds: -3660))]),
        Provocation(.expiredProviderToken, every, [.sign(.age(seconds: 3660))]),
        Provocation(.tooManyProviderTokenUpdates, every, [.before([]), .sign(.age(seconds: 60))]),
        Provocation(
            .badEnvironmentKeyIDInToken, every,
            [addKey("FARKEY0001", in: .production), .sign(.key("FARKEY0001"))]),
        Provocation(
            .badEnvironmentKeyIDInToken, every,
            [addKey("FARKEY0001", topicsOf: bundle, in: .production), .sign(.key("FARKEY0001"))]),
        Provocation(
            .unrelatedKeyIDInToken, every,
            [
                addKey("TEAMKEY001", in: .sandbox), addKey("TOPICKEY01", topicsOf: bundle),
                .before([.sign(.key("TEAMKEY001"))]), .sign(.key("TOPICKEY01")),
            ]),
        Provocation(
            .unrelatedKeyIDInToken, every,
            [
                addKey("TOPICKEY01", topicsOf: bundle), addKey("TOPICKEY02", topicsOf: bundle),
                .before([.sign(.key("TOPICKEY01"))]), .sign(.key("TOPICKEY02")),
            ]),
    ]

    private static let ofConnections: [Provocation] = [
        Provocation(.badPath, every, [.appending("/x")]),
        Provocation(.methodNotAllowed, every, [.method("PUT")]),
        Provocation(.duplicateHeaders, every, [.twice("authorization")]),
        Provocation(.badMessageID, every, [.set("apns-id", "12")]),
        Provocation(.badMessageID, every, [.set("apns-request-id", "12")]),
        Provocation(
            .idleTimeout, every,
            [
                .before([]),
                .control("rules", [member("idle_ms", 5), JSONValue.Member("idle_is_answered", .bool(true))]),
                .idle(milliseconds: 10),
            ]),
        Provocation(.idleTimeout, [.device, .list], [rules("idle_ms", .integer(20))], arrival: .goAway),
        Provocation(.tooManyRequests, sends, [rules("push_burst", .integer(1)), .before([])]),
        Provocation(.tooManyRequests, manages, [rules("manage_burst", .integer(1)), .before([])]),
    ]

    private static let ofServers: [Provocation] =
        [Reason.tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown, .forbidden].map { reason in
            Provocation(
                reason, every,
                [.control("fault", [member("burst", 1), JSONValue.Member("burst_reason", .string(reason.rawValue))])])
        } + [
            Provocation(
                .shutdown, [.device, .list],
                [
                    .control(
                        "fault",
                        [
                            member("goaway_after", 1),
                            JSONValue.Member("goaway_reason", .string(Reason.shutdown.rawValue)),
                        ]), .before([]),
                ], arrival: .goAway),
            Provocation(.shutdown, [.device], [.before([]), .control("stop", [])], arrival: .goAway),
        ]

    // MARK: - Commands

    private static func member(_ name: String, _ count: Int64) -> JSONValue.Member {
        JSONValue.Member(name, .integer(count))
    }

    private static func rules(_ name: String, _ value: JSONValue) -> Step {
        .control("rules", [JSONValue.Member(name, value)])
    }

    private static func fate(_ name: String) -> Step {
        .control(
            "token-fate", [JSONValue.Member("token", .string("$TOKEN")), JSONValue.Member("fate", .string(name))])
    }

    private static let addOther = addApp("com.example.other")

    private static func addApp(_ bundle: String, _ more: JSONValue.Member...) -> Step {
        .control(
            "add-app",
            [JSONValue.Member("app", .string(bundle)), JSONValue.Member("team", .string(team))] + more)
    }

    /// A key for all topics of the team.
    private static func addKey(_ id: String, in environment: Environment) -> Step {
        .control("add-key", ProviderKey(id: id, teamID: team, scope: .team(environment)).members)
    }

    /// A key for the topics of one app.
    private static func addKey(
        _ id: String, topicsOf bundle: String, in environment: Environment = .sandbox
    ) -> Step {
        let key = ProviderKey(id: id, teamID: team, scope: .topics(environment, [bundle], related: nil))
        return .control("add-key", key.members)
    }
}
