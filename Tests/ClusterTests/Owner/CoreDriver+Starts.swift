import Cluster
import Delivery
import LiveActivity
import Wire

/// Shorthands for push-to-start.
extension CoreDriver {
    static let type = Array("Score".utf8)
    static let user = Array("u1".utf8)

    static func name(_ device: String) -> DeviceName { DeviceName(app: 0, user: user, device: Array(device.utf8)) }

    static func startToken(_ name: String) -> Destination {
        Destination(kind: .startToken, app: 0, address: Array(name.utf8))
    }

    static func start(
        _ id: String, device: String = "", channel: Bool = false, fallback: Bool = false, instance: UInt32? = nil,
        key: Key = activity()
    ) -> PublishInput {
        var input = event(
            id, key, .start, rings: true, instance: instance,
            audience: StartAudience(
                user: user, device: Array(device.utf8), attributesType: type, followsChannel: channel,
                fallback: fallback))
        input.payload = Array(#"{"aps":{"alert":{"title":"t"},"event":"start"}}"#.utf8)
        input.layout = PayloadLayout(
            stampOffset: 8, stampLength: 0, stampInsertion: .beforeMembers, alertOffset: 8, alertLength: 22)
        return input
    }

    /// Registers a push-to-start token of a device of the user.
    @discardableResult mutating func registerStart(_ device: String, _ token: String) -> Destination {
        let destination = Self.startToken(token)
        registerDevice(
            DeviceTokenInput(
                origin: origin(), name: Self.name(device), destination: destination, attributesType: Self.type))
        return destination
    }

    @discardableResult mutating func registerDevice(_ input: DeviceTokenInput) -> [NodeEffect] {
        let first = send(.registerDevice(input))
        effects = first + commit()
        return effects
    }

    /// Registers an update token of a device of the user.
    @discardableResult mutating func register(_ token: String, device: String) -> [NodeEffect] {
        let first = send(
            .register(
                RegisterInput(
                    origin: origin(), key: Self.activity(), destination: Self.token(token), user: Self.user,
                    device: Array(device.utf8))))
        effects = first + commit()
        return effects
    }

    mutating func show(_ key: Key = activity()) -> ActivityAnswer? {
        let out = send(.showActivity(origin: origin(), key: key)) + commit()
        for case .activity(let answer) in out.replies { return answer }
        return nil
    }

    /// `device state` of each start.
    mutating func starts() -> [String] {
        (show()?.starts ?? []).map { String(decoding: $0.name.device, as: UTF8.self) + " " + $0.state.name }
    }
}
