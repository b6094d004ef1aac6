/// Where Apple's text leaves open what happens, the reading that the simulator follows. Each says what the
/// alternatives are and where the question is written down.
public struct Readings: Hashable, Sendable {
    /// When a device shows a message (Docs/APNs.md 4.3).
    public var stamps: StampReading
    /// Whether a broadcast without `apns-expiration` or `apns-priority`, which the table calls required, is refused
    /// (`BadExpirationDate`, `BadPriority`); else 0 and 10 are assumed as in Apple's own sample commands (3.2).
    public var refusesIncompleteBroadcasts: Bool
    /// Whether a device that joins a channel of policy 1 gets the stored message (section 6, not confirmed).
    public var lateJoinersGetStoredMessage: Bool
    /// Whether a message that is no JSON object is answered 400 `BadRequestPayload`; else 200, and no device shows it
    /// (3.4).
    public var refusesUnreadableBodies: Bool
    /// Whether a push to a token whose activity has ended is answered 410 `Unregistered` instead of 200 (3.4).
    public var endedTokensAreUnregistered: Bool
    /// Whether a 4xx answer other than 410 takes the connection back to one stream until the next 200 (1.3).
    public var errorsShrinkStreams: Bool
    /// Whether a bad client certificate ends the connection with GOAWAY at once, last stream 0, as was seen; else
    /// every request is answered 403 (1.4).
    public var certificateTroubleIsGoAway: Bool

    /// The usual readings, each open to change.
    public init(
        stamps: StampReading = StampReading(), refusesIncompleteBroadcasts: Bool = true,
        lateJoinersGetStoredMessage: Bool = false, refusesUnreadableBodies: Bool = false,
        endedTokensAreUnregistered: Bool = false,
        errorsShrinkStreams: Bool = true, certificateTroubleIsGoAway: Bool = false
    ) {
        self.stamps = stamps
        self.refusesIncompleteBroadcasts = refusesIncompleteBroadcasts
        self.lateJoinersGetStoredMessage = lateJoinersGetStoredMessage
        self.refusesUnreadableBodies = refusesUnreadableBodies
        self.endedTokensAreUnregistered = endedTokensAreUnregistered
        self.errorsShrinkStreams = errorsShrinkStreams
        self.certificateTroubleIsGoAway = certificateTroubleIsGoAway
    }
}

/// The stamp rule of a device: both readings of Docs/APNs.md 4.3.
public struct StampReading: Hashable, Sendable {
    /// Whether a message with the stamp already shown is shown too.
    public var equalIsShown: Bool
    /// A message older than this against the device's clock is ignored; nil: age does not matter.
    public var ageSecondsMax: Int64?

    /// Strictly newer and of any age unless said otherwise.
    public init(equalIsShown: Bool = false, ageSecondsMax: Int64? = nil) {
        self.equalIsShown = equalIsShown
        self.ageSecondsMax = ageSecondsMax
    }

    /// Whether a message stamped `stamp` may follow `shown` at `nowMilliseconds`.
    func judge(_ stamp: Int64, after shown: Int64?, nowMilliseconds: Int64) -> Ignored? {
        if let shown, stamp < shown || (stamp == shown && !equalIsShown) { return .older }
        if let limit = ageSecondsMax, nowMilliseconds / 1000 - stamp > limit { return .tooOld }
        return nil
    }

    /// Why a message is not shown.
    enum Ignored {
        case older, tooOld
    }
}
