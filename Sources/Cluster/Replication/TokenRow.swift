import Delivery

/// The stored form of a registered token.
struct TokenRow: Hashable {
    /// Version of the layout.
    static let layoutVersion: UInt8 = 2
    /// The version before: user and device were one, and there was no quarantine.
    static let oldLayoutVersion: UInt8 = 1
    /// Longest token in characters.
    static let addressBytesMax = 512

    /// `Key.nameBytes` of the activity.
    var activity: [UInt8]
    var instance: UInt32
    var registeredAtMilliseconds: Int64
    var user: [UInt8]
    var device: [UInt8]
    /// Why it is in quarantine; nil when it is in use.
    var fault: TokenFault?

    /// What the row is found by: kind, app, token.
    static func key(_ destination: Destination, app: String) -> [UInt8] {
        var row = RowWriter(capacity: destination.address.count + app.utf8.count + 5)
        row.byte(destination.kind.rawValue)
        row.string(Array(app.utf8))
        row.string(destination.address)
        return row.bytes
    }

    /// Reads a row's key; nil when it is none or its app is not configured any more.
    static func destination(key: [UInt8], apps: [String: UInt16]) -> Destination? {
        var row = RowReader(key)
        guard let kind = row.byte().flatMap(Destination.Kind.init(rawValue:)), kind == .token,
            let app = row.string(limit: 128), let address = row.string(limit: addressBytesMax), row.isAtEnd,
            let index = apps[String(decoding: app, as: UTF8.self)]
        else { return nil }
        return Destination(kind: kind, app: index, address: address)
    }

    /// The row's value.
    var bytes: [UInt8] {
        var row = RowWriter(capacity: activity.count + user.count + device.count + 24)
        row.byte(Self.layoutVersion)
        row.string(activity)
        row.word(instance)
        row.signed(registeredAtMilliseconds)
        row.string(user)
        row.string(device)
        row.byte(fault?.rawValue ?? 0)
        return row.bytes
    }

    /// Reads the row's value; nil when it is none.
    init?(bytes: [UInt8]) {
        var row = RowReader(bytes)
        guard let version = row.byte(), (Self.oldLayoutVersion...Self.layoutVersion).contains(version),
            let activity = row.string(limit: 400), let instance = row.word(), let registeredAt = row.signed(),
            let user = row.string(limit: 255)
        else { return nil }
        self.init(activity: activity, instance: instance, registeredAtMilliseconds: registeredAt, user: user)
        if version == Self.layoutVersion {
            guard let device = row.string(limit: DeviceName.bytesMax), let fault = row.byte(),
                fault == 0 || TokenFault(rawValue: fault) != nil
            else { return nil }
            self.device = device
            self.fault = TokenFault(rawValue: fault)
        }
        guard row.isAtEnd else { return nil }
    }

    init(
        activity: [UInt8], instance: UInt32, registeredAtMilliseconds: Int64, user: [UInt8] = [], device: [UInt8] = []
    ) {
        self.activity = activity
        self.instance = instance
        self.registeredAtMilliseconds = registeredAtMilliseconds
        self.user = user
        self.device = device
    }
}
