import Delivery

/// The stored form of a registered token.
struct TokenRow: Hashable {
    /// Version of the layout.
    static let layoutVersion: UInt8 = 1
    /// Longest token in characters.
    static let addressBytesMax = 512
    /// Longest subject in bytes.
    static let subjectBytesMax = 255

    /// `Key.nameBytes` of the activity.
    var activity: [UInt8]
    /// The activity's instance; 0 for push-to-start tokens, which belong to none.
    var instance: UInt32
    var registeredAtMilliseconds: Int64
    var subject: [UInt8]

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
        guard let kind = row.byte().flatMap(Destination.Kind.init(rawValue:)), kind != .channel,
            let app = row.string(limit: 128), let address = row.string(limit: addressBytesMax), row.isAtEnd,
            let index = apps[String(decoding: app, as: UTF8.self)]
        else { return nil }
        return Destination(kind: kind, app: index, address: address)
    }

    /// The row's value.
    var bytes: [UInt8] {
        var row = RowWriter(capacity: activity.count + subject.count + 20)
        row.byte(Self.layoutVersion)
        row.string(activity)
        row.word(instance)
        row.signed(registeredAtMilliseconds)
        row.string(subject)
        return row.bytes
    }

    /// Reads the row's value; nil when it is none.
    init?(bytes: [UInt8]) {
        var row = RowReader(bytes)
        guard row.byte() == Self.layoutVersion, let activity = row.string(limit: 400), let instance = row.word(),
            let registeredAt = row.signed(), let subject = row.string(limit: Self.subjectBytesMax), row.isAtEnd
        else { return nil }
        self.init(
            activity: activity, instance: instance, registeredAtMilliseconds: registeredAt, subject: subject)
    }

    init(activity: [UInt8], instance: UInt32, registeredAtMilliseconds: Int64, subject: [UInt8]) {
        self.activity = activity
        self.instance = instance
        self.registeredAtMilliseconds = registeredAtMilliseconds
        self.subject = subject
    }
}
