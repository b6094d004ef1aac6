/// What one pass over a payload found out.
public struct PayloadReport: Sendable, Hashable {
    /// `aps.event`; nil when it is missing or unknown.
    public internal(set) var event: EventKind?
    /// Where the stamp and the alert lie; nil when there is an error among the findings.
    public internal(set) var layout: PayloadLayout?
    /// All that is wrong or odd, in the order of the rules; at most `PayloadInspector.findingsMax`.
    public internal(set) var findings: [Finding] = []
    /// `aps.content-state` with its braces; nil when there is no such object.
    public internal(set) var contentStateRange: Range<Int>?
    /// `aps.attributes` with its braces; nil when there is no such object.
    public internal(set) var attributesRange: Range<Int>?
    /// `aps.attributes-type` without its quotes; nil when there is no such string.
    public internal(set) var attributesTypeRange: Range<Int>?
    /// Whether `aps.input-push-channel` is there: the started activity follows a channel and brings no update token.
    public internal(set) var followsChannel = false
    /// `aps.timestamp` as the producer wrote it, in whole seconds; nil when left out or no number of seconds.
    public internal(set) var producerTimestampSeconds: Int64?
    /// Where `aps.timestamp` stands; 0 when it is left out.
    var timestampOffset = 0
    /// `aps.stale-date` in whole seconds since 1970; nil when left out or no number of seconds.
    public internal(set) var staleDateSeconds: Int64?
    /// `aps.dismissal-date` in whole seconds since 1970; nil when left out or no number of seconds.
    public internal(set) var dismissalDateSeconds: Int64?
    /// Size of the body in bytes once the stamp is in; the payload's own size when it cannot be put in.
    public internal(set) var sizeWithStamp: Int

    init(payloadBytes: Int) {
        sizeWithStamp = payloadBytes
    }

    /// Adds a finding unless there are as many as a report may have.
    mutating func add(_ finding: Finding) {
        if findings.count < PayloadInspector.findingsMax { findings.append(finding) }
    }

    /// Whether the payload may be sent: no finding is an error.
    public var isAcceptable: Bool { firstError == nil }

    /// The error to name when only one can be named.
    public var firstError: Finding? { findings.first { $0.severity == .error } }

    /// The worst severity among the findings; nil when there are none.
    public var worst: Finding.Severity? { findings.map(\.severity).max() }
}
