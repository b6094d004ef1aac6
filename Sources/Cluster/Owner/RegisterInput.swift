public import Delivery
public import Wire

/// A token that follows an activity, or does so no more.
public struct RegisterInput: Hashable, Sendable {
    /// The caller's connection and request.
    public var origin: UInt64
    /// The activity.
    public var key: Key
    /// The instance the token belongs to; nil means the newest. One above an ended newest instance is allowed, so
    /// that tokens can be there before the first event.
    public var instance: UInt32?
    /// The update token.
    public var destination: Destination
    /// The caller's name for the user, at most 128 bytes; empty when not told.
    public var user: [UInt8]
    /// The caller's name for the device, at most 128 bytes; empty when not told. A new token of the same user and
    /// device replaces the old one.
    public var device: [UInt8]

    /// Makes a registration.
    public init(
        origin: UInt64, key: Key, instance: UInt32? = nil, destination: Destination, user: [UInt8] = [],
        device: [UInt8] = []
    ) {
        self.origin = origin
        self.key = key
        self.instance = instance
        self.destination = destination
        self.user = user
        self.device = device
    }
}
