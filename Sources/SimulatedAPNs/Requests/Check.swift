/// One check of a request. Apple does not document the order (Docs/APNs.md 3.4); this is ours, and it agrees with what
/// was seen: on the send host the method is judged before the credentials. The first check that fails gives the
/// reason.
///
/// The cases stand in the order in which they are made, whatever is asked for.
public enum Check: String, Hashable, Sendable, CaseIterable {
    case idle, path, method, duplicateHeaders, certificate, providerToken, keyScope, tokenAge, tokenUpdates
    case burst, messageID, deviceTokenPresent, bundleID, broadcastFeature, operationRate, pushType, topic
    case priority, expiration, collapseID, payloadPresent, payloadSize, payloadReadable
    case deviceToken, tokenTopic, tokenLife, channelID, channel, expirationForPolicy
    case channelRequest, channelLimit, rate

    private static let first: [Check] = [.idle, .path, .method]
    private static let everywhere: [Check] = [
        .duplicateHeaders, .certificate, .providerToken, .keyScope, .tokenAge, .tokenUpdates, .burst, .messageID,
    ]
    private static let operation: [Check] = everywhere + [.bundleID, .broadcastFeature, .operationRate]

    /// The order for a device push, after idle time, path and method.
    static let device: [Check] =
        everywhere + [
            .deviceTokenPresent, .pushType, .topic, .priority, .expiration, .collapseID, .payloadPresent,
            .payloadSize, .payloadReadable, .deviceToken, .tokenTopic, .tokenLife, .rate,
        ]

    /// The order for a broadcast.
    static let broadcast: [Check] =
        everywhere + [
            .bundleID, .broadcastFeature, .pushType, .priority, .expiration, .payloadPresent, .payloadSize,
            .payloadReadable, .channelID, .channel, .expirationForPolicy, .rate,
        ]

    /// The order for creating a channel.
    static let createChannel: [Check] = operation + [.channelRequest, .channelLimit]

    /// The order for reading or deleting a channel.
    static let oneChannel: [Check] = operation + [.channelID, .channel]

    /// The order for listing channels.
    static let allChannels: [Check] = operation

    /// The whole order for a kind of request.
    public static func order(of kind: Operation) -> [Check] {
        switch kind {
        case .device, .start: first + device
        case .broadcast: first + broadcast
        case .create: first + createChannel
        case .read, .delete: first + oneChannel
        case .list: first + allChannels
        }
    }

    /// Reasons it can give, with a word where a reason has several checks.
    public var reasons: [(reason: Reason, note: String)] {
        switch self {
        case .idle: [(.idleTimeout, "where `idle_is_answered` is set")]
        case .path: [(.badPath, "")]
        case .method: [(.methodNotAllowed, "")]
        case .duplicateHeaders: [(.duplicateHeaders, "")]
        case .certificate: [(.badCertificate, ""), (.badCertificateEnvironment, "")]
        case .providerToken:
            [
                (.missingProviderToken, "without certificate"),
                (.invalidProviderToken, "malformed, bad signature, unknown key, other team"),
            ]
        case .keyScope: [(.badEnvironmentKeyIDInToken, ""), (.unrelatedKeyIDInToken, "")]
        case .tokenAge:
            [
                (.expiredProviderToken, "older than an hour"), (.invalidProviderToken, "more than an hour ahead"),
            ]
        case .tokenUpdates: [(.tooManyProviderTokenUpdates, "")]
        case .burst: []
        case .messageID: [(.badMessageID, "`apns-id` or `apns-request-id` is no UUID")]
        case .deviceTokenPresent: [(.missingDeviceToken, "")]
        case .bundleID:
            [(.topicDisallowed, "suffix in the path"), (.topicMismatch, "app unknown or not covered")]
        case .broadcastFeature: [(.featureNotEnabled, "")]
        case .operationRate: [(.tooManyRequests, "where `manage_burst` is set")]
        case .pushType:
            [(.missingPushType, "broadcast only; a device push takes it from the topic"), (.invalidPushType, "")]
        case .topic:
            [
                (.missingTopic, "unless a certificate has only one"), (.badTopic, ""),
                (.topicDisallowed, "not this push type's topic of an app that is covered"),
            ]
        default: reasonsOfContent
        }
    }

    private var reasonsOfContent: [(reason: Reason, note: String)] {
        switch self {
        case .priority: [(.badPriority, "missing on a broadcast, too")]
        case .expiration: [(.badExpirationDate, "no date; missing on a broadcast")]
        case .collapseID: [(.badCollapseID, "")]
        case .payloadPresent: [(.payloadEmpty, "")]
        case .payloadSize: [(.payloadTooLarge, "4096, broadcast 5120")]
        case .payloadReadable: [(.badRequestPayload, "no JSON object, where the reading refuses that")]
        case .deviceToken: [(.badDeviceToken, "no hex, unknown, of the other environment")]
        case .tokenTopic: [(.deviceTokenNotForTopic, "")]
        case .tokenLife: [(.unregistered, "with the time"), (.expiredToken, "with the time")]
        case .channelID: [(.missingChannelID, ""), (.badChannelID, "")]
        case .channel: [(.channelNotRegistered, "")]
        case .expirationForPolicy: [(.badExpirationDate, "not 0 on a channel that stores nothing")]
        case .channelRequest:
            [(.badRequestPayload, ""), (.badRequestParams, ""), (.missingPushType, ""), (.invalidPushType, "")]
        case .channelLimit: [(.cannotCreateChannelConfig, "")]
        case .rate: [(.tooManyRequests, "one token or channel, where `push_burst` is set")]
        default: []
        }
    }
}
