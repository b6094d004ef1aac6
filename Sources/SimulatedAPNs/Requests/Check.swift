/// One check of a request. Apple does not document the order (Docs/APNs.md 3.4); this is ours, and it agrees with what was
/// seen: on the send host the method is judged before the credentials. The first check that fails gives the reason.
public enum Check: String, Hashable, Sendable, CaseIterable {
    /// `BadPath`
    case path
    /// `MethodNotAllowed`
    case method
    /// `DuplicateHeaders`
    case duplicateHeaders
    /// `MissingProviderToken`, `InvalidProviderToken`
    case providerToken
    /// `BadEnvironmentKeyIdInToken`, `UnrelatedKeyIdInToken`
    case keyScope
    /// `ExpiredProviderToken`; from the future: `InvalidProviderToken`
    case tokenAge
    /// `TooManyProviderTokenUpdates`
    case tokenUpdates
    /// Whatever a burst of refusals says; by default `TooManyRequests`
    case burst
    /// `BadMessageId`
    case messageID
    /// `MissingDeviceToken`
    case deviceTokenPresent
    /// `MissingPushType`, `InvalidPushType`
    case pushType
    /// `MissingTopic`, `BadTopic`, `TopicDisallowed`
    case topic
    /// `TopicDisallowed` (a suffix in the path), `TopicMismatch`
    case bundleID
    /// `FeatureNotEnabled`
    case broadcastFeature
    /// `BadPriority`
    case priority
    /// `BadExpirationDate` when it is no date
    case expiration
    /// `BadCollapseId`
    case collapseID
    /// `PayloadEmpty`
    case payloadPresent
    /// `PayloadTooLarge`
    case payloadSize
    /// `BadRequestPayload`, where the reading refuses what is no JSON object
    case payloadReadable
    /// `BadDeviceToken`
    case deviceToken
    /// `DeviceTokenNotForTopic`
    case tokenTopic
    /// `Unregistered`, `ExpiredToken`
    case tokenLife
    /// `MissingChannelId`, `BadChannelId`
    case channelID
    /// `ChannelNotRegistered`
    case channel
    /// `BadExpirationDate` when the channel stores no message
    case expirationForPolicy
    /// `BadRequestPayload`, `BadRequestParams`, `MissingPushType`, `InvalidPushType`
    case channelRequest
    /// `CannotCreateChannelConfig`
    case channelLimit
    /// `TooManyRequests`
    case rate

    private static let everywhere: [Check] = [
        .duplicateHeaders, .providerToken, .keyScope, .tokenAge, .tokenUpdates, .burst, .messageID,
    ]

    /// The order for a device push.
    static let device: [Check] =
        everywhere + [
            .deviceTokenPresent, .pushType, .topic, .priority, .expiration, .collapseID, .payloadPresent,
            .payloadSize, .payloadReadable, .deviceToken, .tokenTopic, .tokenLife, .rate,
        ]

    /// The order for a broadcast.
    static let broadcast: [Check] =
        everywhere + [
            .bundleID, .broadcastFeature, .pushType, .priority, .expiration, .payloadPresent, .payloadSize,
            .payloadReadable, .channelID,
            .channel, .expirationForPolicy, .rate,
        ]

    /// The order for creating a channel.
    static let createChannel: [Check] = everywhere + [.bundleID, .broadcastFeature, .channelRequest, .channelLimit]

    /// The order for reading or deleting a channel.
    static let oneChannel: [Check] = everywhere + [.bundleID, .broadcastFeature, .channelID, .channel]

    /// The order for listing channels.
    static let allChannels: [Check] = everywhere + [.bundleID, .broadcastFeature]
}
