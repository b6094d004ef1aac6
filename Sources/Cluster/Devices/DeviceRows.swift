import Delivery

/// The stored forms of what belongs to devices: their tokens, their starts, and how many starts they had.
enum DeviceRows {
    /// Version of all three layouts.
    static let layoutVersion: UInt8 = 1
    /// Most times of starts kept for a device.
    static let timesMax = 255

    // MARK: Tokens

    static func tokenKey(
        _ name: DeviceName, app: String, _ kind: Destination.Kind, _ attributesType: [UInt8]
    ) -> [UInt8] {
        var row = RowWriter(capacity: 320)
        write(name, app, into: &row)
        row.byte(kind.rawValue)
        row.string(attributesType)
        return row.bytes
    }

    static func tokenValue(_ token: DeviceToken) -> [UInt8] {
        var row = RowWriter(capacity: token.destination.address.count + 12)
        row.byte(layoutVersion)
        row.string(token.destination.address)
        row.signed(token.registeredAtMilliseconds)
        row.byte(token.fault?.rawValue ?? 0)
        return row.bytes
    }

    static func decodeTokenKey(
        _ key: [UInt8], apps: [String: UInt16]
    ) -> (name: DeviceName, kind: Destination.Kind, attributesType: [UInt8])? {
        var head = RowReader(key)
        guard let name = readName(&head, apps), let kind = head.byte().flatMap(Destination.Kind.init(rawValue:)),
            kind == .startToken || kind == .ordinaryToken, let type = head.string(limit: DeviceName.bytesMax),
            head.isAtEnd
        else { return nil }
        return (name, kind, type)
    }

    static func decodeToken(
        key: [UInt8], value: [UInt8], apps: [String: UInt16]
    ) -> (name: DeviceName, token: DeviceToken)? {
        var row = RowReader(value)
        guard let (name, kind, type) = decodeTokenKey(key, apps: apps), row.byte() == layoutVersion,
            let address = row.string(limit: TokenRow.addressBytesMax),
            let registeredAt = row.signed(), let fault = row.byte(), row.isAtEnd,
            fault == 0 || TokenFault(rawValue: fault) != nil
        else { return nil }
        let token = DeviceToken(
            destination: Destination(kind: kind, app: name.app, address: address), attributesType: type,
            registeredAtMilliseconds: registeredAt, fault: TokenFault(rawValue: fault))
        return (name, token)
    }

    // MARK: Starts

    static func startKey(_ activity: [UInt8], _ name: DeviceName) -> [UInt8] {
        var row = RowWriter(capacity: activity.count + name.user.count + name.device.count + 6)
        row.string(activity)
        row.string(name.user)
        row.string(name.device)
        return row.bytes
    }

    static func startValue(_ start: DeviceStart) -> [UInt8] {
        var row = RowWriter(capacity: 32)
        row.byte(layoutVersion)
        row.word(start.instance)
        row.byte(start.state.rawValue)
        row.signed(start.sinceMilliseconds)
        row.string(Array(start.reason.utf8.prefix(RecentEvents.reasonBytesMax)))
        return row.bytes
    }

    /// The activity's `Key.nameBytes` and the start; its app is filled in by the caller.
    static func decodeStart(key: [UInt8], value: [UInt8]) -> (activity: [UInt8], start: DeviceStart)? {
        var head = RowReader(key)
        var row = RowReader(value)
        guard let activity = head.string(limit: 400), let user = head.string(limit: DeviceName.bytesMax),
            let device = head.string(limit: DeviceName.bytesMax), head.isAtEnd, row.byte() == layoutVersion,
            let instance = row.word(), let state = row.byte().flatMap(StartState.init(rawValue:)),
            let since = row.signed(), let reason = row.string(limit: RecentEvents.reasonBytesMax), row.isAtEnd
        else { return nil }
        let start = DeviceStart(
            name: DeviceName(app: 0, user: user, device: device), instance: instance, state: state,
            sinceMilliseconds: since, reason: String(decoding: reason, as: UTF8.self))
        return (activity, start)
    }

    // MARK: Times

    static func timesKey(_ name: DeviceName, app: String) -> [UInt8] {
        var row = RowWriter(capacity: 280)
        write(name, app, into: &row)
        return row.bytes
    }

    static func timesValue(_ times: [Int64]) -> [UInt8] {
        let newest = times.suffix(timesMax)
        var row = RowWriter(capacity: 2 + newest.count * 8)
        row.byte(layoutVersion)
        row.byte(UInt8(truncatingIfNeeded: newest.count))
        for time in newest { row.signed(time) }
        return row.bytes
    }

    static func decodeTimes(
        key: [UInt8], value: [UInt8], apps: [String: UInt16]
    ) -> (name: DeviceName, times: [Int64])? {
        var head = RowReader(key)
        var row = RowReader(value)
        guard let name = readName(&head, apps), head.isAtEnd, row.byte() == layoutVersion, let count = row.byte()
        else { return nil }
        var times: [Int64] = []
        for _ in 0..<count {
            guard let time = row.signed() else { return nil }
            times.append(time)
        }
        return row.isAtEnd ? (name, times) : nil
    }

    // MARK: Names

    private static func write(_ name: DeviceName, _ app: String, into row: inout RowWriter) {
        row.string(Array(app.utf8))
        row.string(name.user)
        row.string(name.device)
    }

    private static func readName(_ row: inout RowReader, _ apps: [String: UInt16]) -> DeviceName? {
        guard let app = row.string(limit: 128), let user = row.string(limit: DeviceName.bytesMax),
            let device = row.string(limit: DeviceName.bytesMax), let index = apps[String(decoding: app, as: UTF8.self)]
        else { return nil }
        return DeviceName(app: index, user: user, device: device)
    }
}
