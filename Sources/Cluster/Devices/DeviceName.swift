/// A device in the caller's words: what push-to-start and ordinary tokens belong to, and where an activity is started
/// once.
public struct DeviceName: Hashable, Sendable {
    /// Longest name of a user or a device in bytes.
    public static let bytesMax = 128

    /// Index of the app.
    public var app: UInt16
    /// The caller's name for the user; empty when not told.
    public var user: [UInt8]
    /// The caller's name for the device.
    public var device: [UInt8]

    /// Makes a name.
    public init(app: UInt16, user: [UInt8], device: [UInt8]) {
        self.app = app
        self.user = user
        self.device = device
    }

    /// A device without a name cannot be told from others.
    var isNamed: Bool { !device.isEmpty }
    var isShort: Bool { user.count <= Self.bytesMax && device.count <= Self.bytesMax }
}

/// A user of an app: whose devices a start is for.
struct UserName: Hashable, Sendable {
    var app: UInt16
    var user: [UInt8]
}
