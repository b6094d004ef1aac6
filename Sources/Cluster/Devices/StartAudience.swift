/// Whom a start is for and how the activity that it makes goes on.
public struct StartAudience: Hashable, Sendable {
    /// The user as the tokens were registered; empty for devices without one.
    public var user: [UInt8]
    /// The device; empty: every device of the user.
    public var device: [UInt8]
    /// `aps.attributes-type`: which push-to-start token is used.
    public var attributesType: [UInt8]
    /// The payload asks for `input-push-channel`: no update token will come.
    public var followsChannel: Bool
    /// Where no activity can be had, the alert goes to the ordinary token.
    public var fallback: Bool

    /// Makes an audience.
    public init(
        user: [UInt8], device: [UInt8] = [], attributesType: [UInt8], followsChannel: Bool = false,
        fallback: Bool = false
    ) {
        self.user = user
        self.device = device
        self.attributesType = attributesType
        self.followsChannel = followsChannel
        self.fallback = fallback
    }

    /// One array, so that records of other events carry no more than an empty one.
    var packed: [UInt8] {
        var row = RowWriter(capacity: user.count + device.count + attributesType.count + 8)
        row.string(user)
        row.string(device)
        row.string(attributesType)
        row.flag(followsChannel)
        row.flag(fallback)
        return row.bytes
    }

    /// Whether it can be stored.
    var isShort: Bool {
        user.count <= DeviceName.bytesMax && device.count <= DeviceName.bytesMax
            && attributesType.count <= DeviceName.bytesMax
    }

    /// Longest packed form.
    static let bytesMax = 3 * (DeviceName.bytesMax + 2) + 2

    init?(packed: [UInt8]) {
        var row = RowReader(packed)
        guard let user = row.string(limit: DeviceName.bytesMax), let device = row.string(limit: DeviceName.bytesMax),
            let type = row.string(limit: DeviceName.bytesMax), let channel = row.flag(), let fallback = row.flag(),
            row.isAtEnd
        else { return nil }
        self.init(
            user: user, device: device, attributesType: type, followsChannel: channel, fallback: fallback)
    }

    /// Whether a start for these would reach the device.
    func covers(_ name: DeviceName) -> Bool {
        name.user == user && (device.isEmpty || name.device == device)
    }
}
