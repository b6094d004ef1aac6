public import Delivery
public import Wire

/// A token that follows an activity.
public struct RegisterInput: Hashable, Sendable {
    /// The caller's connection and request.
    public var origin: UInt64
    /// The activity.
    public var key: Key
    /// The instance the token belongs to; nil means the newest. One above an ended newest instance is allowed, so
    /// that tokens can be there before the first event.
    public var instance: UInt32?
    /// The token, of kind `token` or `startToken`.
    public var destination: Destination
    /// The caller's words for user and device; stored, not interpreted. At most 255 bytes.
    public var subject: [UInt8]

    /// Makes a registration.
    public init(
        origin: UInt64, key: Key, instance: UInt32? = nil, destination: Destination, subject: [UInt8] = []
    ) {
        self.origin = origin
        self.key = key
        self.instance = instance
        self.destination = destination
        self.subject = subject
    }
}
