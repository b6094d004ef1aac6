public import Delivery

/// A token that belongs to a device and not to an activity.
struct DeviceToken: Hashable, Sendable {
    /// Of kind `startToken` or `ordinaryToken`.
    var destination: Destination
    /// What a push-to-start token starts; empty for an ordinary one.
    var attributesType: [UInt8]
    var registeredAtMilliseconds: Int64
    var fault: TokenFault?
}

/// A device's token that comes or goes.
public struct DeviceTokenInput: Hashable, Sendable {
    /// The caller's connection and request.
    public var origin: UInt64
    /// The device.
    public var name: DeviceName
    /// The token, of kind `startToken` or `ordinaryToken`.
    public var destination: Destination
    /// For a push-to-start token: what it starts, 1…128 bytes.
    public var attributesType: [UInt8]

    /// Makes a registration.
    public init(origin: UInt64, name: DeviceName, destination: Destination, attributesType: [UInt8] = []) {
        self.origin = origin
        self.name = name
        self.destination = destination
        self.attributesType = attributesType
    }
}
