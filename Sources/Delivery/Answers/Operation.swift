/// What a request asked of APNs; the same reason can call for another reaction depending on it.
public enum Operation: UInt8, Sendable, CaseIterable {
    /// `POST /3/device/<token>`: update or end.
    case device
    /// `POST /3/device/<token>` on a push-to-start token.
    case start
    /// `POST /4/broadcasts/apps/<bundle id>`.
    case broadcast
    /// `POST /1/apps/<bundle id>/channels`.
    case createChannel
    /// `GET /1/apps/<bundle id>/channels`.
    case readChannel
    /// `DELETE /1/apps/<bundle id>/channels`.
    case deleteChannel
    /// `GET /1/apps/<bundle id>/all-channels`.
    case listChannels

    /// The operation a lane of this kind performs.
    public init(_ kind: Destination.Kind) {
        switch kind {
        case .channel: self = .broadcast
        case .token, .ordinaryToken: self = .device
        case .startToken: self = .start
        }
    }

    /// Whether the request names a device token.
    public var namesToken: Bool { self == .device || self == .start }
}
