import Delivery

/// Where the start of an activity on one device stands. Raw values are on disk: never renumber.
public enum StartState: UInt8, Hashable, Sendable {
    /// Its intent is stored and it is on its way to APNs.
    case sending = 1
    /// APNs took it; the app has not yet registered the activity's update token.
    case pending = 2
    /// The answer was lost or the node was restarted meanwhile: it may have started. Not sent again.
    case unknown = 3
    /// The update token has come.
    case joined = 4
    /// APNs took it, and the activity follows a channel.
    case channel = 5
    /// APNs refused it, or it expired; the reason says why.
    case refused = 6
    /// The device had as many starts as it may have in an hour.
    case limited = 7
    /// No push-to-start token of the device for this attributes type.
    case tokenless = 8
    /// The user took the activity off the screen.
    case dismissed = 9
    /// The activity ended on the device.
    case ended = 10
    /// No update token came in time.
    case overdue = 11

    /// The word of the protocol and the command line.
    public var name: String {
        switch self {
        case .sending: "sending"
        case .pending: "pending"
        case .unknown: "unknown"
        case .joined: "joined"
        case .channel: "channel"
        case .refused: "refused"
        case .limited: "limited"
        case .tokenless: "no-start-token"
        case .dismissed: "dismissed"
        case .ended: "ended"
        case .overdue: "overdue"
        }
    }

    /// Whether the app's update token is still awaited.
    var awaitsToken: Bool { self == .pending || self == .unknown }
    /// Whether the device certainly has no activity from it.
    var isVain: Bool { self == .refused || self == .limited || self == .tokenless }
}

/// The start of one instance of an activity on one device: there is never a second.
struct DeviceStart: Hashable, Sendable {
    var name: DeviceName
    var instance: UInt32
    var state: StartState
    var sinceMilliseconds: Int64
    var reason = ""
    /// The push-to-start token it goes to; nil when it went nowhere, and after a restart.
    var destination: Destination?
}
