/// What a world counted since it began or since the last reset. Every number only grows.
public struct Counters: Hashable, Sendable {
    /// Requests judged.
    public var requests = 0
    /// Answers with status 200, 201 or 204.
    public var accepted = 0
    /// Error answers by reason.
    public var refused: [Reason: Int] = [:]
    /// Requests carried out and left unanswered by a fault.
    public var unanswered = 0
    /// Requests above the last stream of a GOAWAY: not carried out.
    public var unprocessed = 0
    /// Requests reset with REFUSED_STREAM.
    public var resets = 0
    /// Messages accepted whose `apns-id` (or `apns-request-id`) had been accepted before.
    public var acceptedTwice = 0
    /// Messages handed to devices.
    public var delivered = 0
    /// Messages that changed what a device shows.
    public var shown = 0
    /// Alerts that lit up a device.
    public var rings = 0
    /// Times a device showed an older state than before: a smaller stamp, or a smaller value of the schema's monotone
    /// field.
    public var wentBack = 0
    /// Times a device rang again for the same alert with the same content.
    public var rangTwice = 0
    /// Messages whose content state or attributes did not decode.
    public var decodeFailures = 0
    /// Messages that no device understands: no JSON, no `aps`, no stamp, unknown event.
    public var unreadable = 0
    /// Updates that reached an activity after its end.
    public var updatesAfterEnd = 0
    /// Ends that reached an activity after its end.
    public var endsAfterEnd = 0
    /// Messages ignored because their stamp was not newer.
    public var ignoredOlder = 0
    /// Messages ignored because their stamp was too far in the past.
    public var ignoredTooOld = 0
    /// Messages for devices that were offline, not stored.
    public var missedOffline = 0
    /// Stored messages replaced by a newer one before they were delivered.
    public var storedOverwritten = 0
    /// Stored messages that expired before they were delivered.
    public var storedExpired = 0
    /// Deliveries lost by a fault or beyond a limit.
    public var lost = 0
    /// Starts that started nothing: no alert, unknown type, attributes that do not decode, unknown channel, full
    /// device.
    public var startsDropped = 0
    /// Activities started by push.
    public var started = 0
    /// GOAWAY frames sent.
    public var goAways = 0

    /// All zero.
    public init() {}

    /// Error answers over all reasons.
    public var refusedTotal: Int { refused.values.reduce(0, +) }

    mutating func refuse(_ reason: Reason) { refused[reason, default: 0] += 1 }
}
