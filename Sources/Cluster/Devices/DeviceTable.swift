import Delivery

/// The tokens that belong to devices, found by device, by user and by token.
struct DeviceTable: Sendable {
    /// Most devices of a user and most tokens of a device.
    static let devicesPerUserMax = 64
    static let tokensPerDeviceMax = 32

    private var devices: [DeviceName: [DeviceToken]] = [:]
    private var users: [UserName: [DeviceName]] = [:]
    private var owners: [Destination: DeviceName] = [:]

    /// How many tokens there are.
    var count: Int { owners.count }

    func owner(of destination: Destination) -> DeviceName? { owners[destination] }

    func token(_ destination: Destination) -> DeviceToken? {
        owners[destination].flatMap { devices[$0]?.first { $0.destination == destination } }
    }

    func tokens(of name: DeviceName) -> [DeviceToken] { devices[name] ?? [] }

    /// The device's push-to-start token for a type, or its ordinary token.
    func token(of name: DeviceName, _ kind: Destination.Kind, _ attributesType: [UInt8]) -> DeviceToken? {
        devices[name]?.first { $0.destination.kind == kind && $0.attributesType == attributesType }
    }

    /// The devices that a start is for, in the order of their names. One that is named but not known is among them.
    func devices(of audience: StartAudience, app: UInt16) -> [DeviceName] {
        guard audience.device.isEmpty else {
            return [DeviceName(app: app, user: audience.user, device: audience.device)]
        }
        return (users[UserName(app: app, user: audience.user)] ?? []).sorted {
            $0.device.lexicographicallyPrecedes($1.device)
        }
    }

    /// Whether one more token of this device fits.
    func hasRoom(for name: DeviceName) -> Bool {
        if let tokens = devices[name] { return tokens.count < Self.tokensPerDeviceMax }
        return (users[UserName(app: name.app, user: name.user)]?.count ?? 0) < Self.devicesPerUserMax
    }

    mutating func add(_ token: DeviceToken, of name: DeviceName) {
        if devices[name] == nil { users[UserName(app: name.app, user: name.user), default: []].append(name) }
        devices[name, default: []].append(token)
        owners[token.destination] = name
    }

    mutating func remove(_ destination: Destination) {
        guard let name = owners.removeValue(forKey: destination) else { return }
        devices[name]?.removeAll { $0.destination == destination }
        guard devices[name]?.isEmpty == true else { return }
        devices[name] = nil
        let user = UserName(app: name.app, user: name.user)
        users[user]?.removeAll { $0 == name }
        if users[user]?.isEmpty == true { users[user] = nil }
    }

    mutating func quarantine(_ destination: Destination, _ fault: TokenFault) {
        guard let name = owners[destination],
            let place = devices[name]?.firstIndex(where: { $0.destination == destination })
        else { return }
        devices[name]![place].fault = fault
    }
}
