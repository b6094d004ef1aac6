/// Where a lane leads: one channel or one token of one app. Values compare by their bytes.
public struct Destination: Hashable, Sendable {
    /// Which request the lane makes.
    public enum Kind: UInt8, Sendable {
        /// `POST /4/broadcasts/apps/<bundle id>` with `apns-channel-id`.
        case channel = 1
        /// `POST /3/device/<token>`, an activity's update token.
        case token = 2
        /// `POST /3/device/<token>`, a push-to-start token.
        case startToken = 3
        /// `POST /3/device/<token>`, a device's token for ordinary notifications: the alert where no activity can be
        /// had.
        case ordinaryToken = 4
    }

    /// The kind of request.
    public let kind: Kind
    /// Index of the app in the node's configuration; chooses credentials, hosts and pool.
    public let app: UInt16
    /// Channel ID (base64 as APNs returned it) or token (lower-case hex), as ASCII bytes. Never logged whole.
    public let address: [UInt8]

    /// Makes a destination; `address` is ASCII.
    public init(kind: Kind, app: UInt16, address: [UInt8]) {
        self.kind = kind
        self.app = app
        self.address = address
    }

    /// Hashes the address as one run of bytes: byte by byte it would cost more than all the rest of a lane's work.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt32(app) << 8 | UInt32(kind.rawValue))
        address.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
