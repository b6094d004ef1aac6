/// Why a token is in quarantine: APNs says that it is not of this environment or topic, which deleting would not mend
/// (Docs/APNs.md 3.4). It is kept, shown and not sent to until it is registered again.
public enum TokenFault: UInt8, Hashable, Sendable {
    /// 400 `BadDeviceToken`: no token, or one of the other environment.
    case wrongEnvironment = 1
    /// 400 `DeviceTokenNotForTopic`: a token of another app.
    case wrongTopic = 2

    /// The fault that an answer means; nil when the token is dead instead.
    init?(status: UInt16, reason: String) {
        guard status == 400 else { return nil }
        switch reason {
        case "BadDeviceToken": self = .wrongEnvironment
        case "DeviceTokenNotForTopic": self = .wrongTopic
        default: return nil
        }
    }

    /// The word of the protocol, the log and the counters.
    public var name: String { self == .wrongEnvironment ? "wrong-environment" : "wrong-topic" }
}

/// What an unregistering app says about its activity.
public enum ActivityEnd: UInt8, Hashable, Sendable {
    /// The user took it off the screen.
    case dismissed
    /// It ended.
    case ended
}

/// A token that APNs does not take for this app and environment.
struct QuarantinedToken: Sendable {
    var slot: Int
    var row: TokenRow
}
