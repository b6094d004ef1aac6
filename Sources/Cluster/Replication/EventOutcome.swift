/// What became of an event. Only `accepted` and `deferred` are not final.
public enum EventOutcome: Hashable, Sendable {
    /// Durable, not yet settled.
    case accepted
    /// Could not be sent yet and waits; never stored.
    case deferred
    /// APNs said 200 for at least one destination; nobody can know more.
    case apnsAccepted
    /// A newer event of the key took its place.
    case superseded
    /// Its `expires_at` passed before it was sent.
    case expired
    /// No destination took it; the first refusal in Apple's words.
    case failed(reason: String)
    /// It was sent and the answer was lost, or the node cannot tell after a restart.
    case unknown

    /// The word of receipts and of `status`.
    public var name: String {
        switch self {
        case .accepted: "accepted"
        case .deferred: "deferred"
        case .apnsAccepted: "apns_accepted"
        case .superseded: "superseded"
        case .expired: "expired"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }

    /// Why it failed; empty for every other outcome.
    public var reason: String {
        if case .failed(let reason) = self { reason } else { "" }
    }

    /// Whether nothing more will be heard of the event.
    public var isFinal: Bool { self != .accepted && self != .deferred }

    /// The stored form of the kind; never renumber.
    var code: UInt8 {
        switch self {
        case .accepted, .deferred: 0
        case .apnsAccepted: 1
        case .superseded: 2
        case .expired: 3
        case .failed: 4
        case .unknown: 5
        }
    }

    init?(code: UInt8, reason: [UInt8]) {
        switch code {
        case 0: self = .accepted
        case 1: self = .apnsAccepted
        case 2: self = .superseded
        case 3: self = .expired
        case 4: self = .failed(reason: String(decoding: reason, as: UTF8.self))
        case 5: self = .unknown
        default: return nil
        }
    }
}
