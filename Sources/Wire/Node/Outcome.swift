/// What became of an event. The names are used in receipts, metrics and command output.
public enum Outcome: String, Sendable, CaseIterable {
    /// Stored; not yet handed to APNs.
    case accepted
    /// APNs answered 200; nobody can know more.
    case apnsAccepted = "apns_accepted"
    /// A newer event of its key took its place before it was sent.
    case superseded
    /// It waits longer than usual: a budget, a pause of APNs; not final.
    case deferred
    /// Its `expires_at_ms` passed before it was sent.
    case expired
    /// APNs refused it, or every destination is gone; the reason says more.
    case failed
    /// It was sent and the answer was lost.
    case unknown

    /// Whether nothing more will be heard of the event.
    public var isFinal: Bool { self != .accepted && self != .deferred }
}
