/// The header fields that APNs reads. Fields it does not know are ignored; one of these sent twice is remembered.
public struct RequestFields: Hashable, Sendable {
    /// `:method`.
    public var method = ""
    /// `:path`.
    public var path = ""
    /// `authorization`, whole.
    public var authorization: String?
    /// `apns-id`.
    public var messageID: String?
    /// `apns-request-id`.
    public var requestID: String?
    /// `apns-push-type`.
    public var pushType: String?
    /// `apns-topic`.
    public var topic: String?
    /// `apns-priority`.
    public var priority: String?
    /// `apns-expiration`.
    public var expiration: String?
    /// `apns-collapse-id`.
    public var collapseID: String?
    /// `apns-channel-id`.
    public var channelID: String?
    /// Whether any field above came twice.
    public var hasDuplicates = false

    /// No field yet.
    public init() {}

    /// Takes one header field; `name` is lower case as HTTP/2 demands (RFC 9113 8.2).
    public mutating func add(_ name: String, _ value: String) {
        switch name {
        case ":method": method = value
        case ":path": path = value
        case "authorization": Self.set(&authorization, value, &hasDuplicates)
        case "apns-id": Self.set(&messageID, value, &hasDuplicates)
        case "apns-request-id": Self.set(&requestID, value, &hasDuplicates)
        case "apns-push-type": Self.set(&pushType, value, &hasDuplicates)
        case "apns-topic": Self.set(&topic, value, &hasDuplicates)
        case "apns-priority": Self.set(&priority, value, &hasDuplicates)
        case "apns-expiration": Self.set(&expiration, value, &hasDuplicates)
        case "apns-collapse-id": Self.set(&collapseID, value, &hasDuplicates)
        case "apns-channel-id": Self.set(&channelID, value, &hasDuplicates)
        default: break
        }
    }

    private static func set(_ field: inout String?, _ value: String, _ duplicate: inout Bool) {
        if field != nil { duplicate = true }
        field = value
    }
}
