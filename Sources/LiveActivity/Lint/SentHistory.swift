/// What was sent before to the same activity or channel, for the rules that need it (Docs/APNs.md 4.8).
public struct SentHistory: Sendable, Hashable {
    /// `aps.timestamp` of the last message, seconds since 1970; nil when there was none or it is not known.
    public var lastTimestampSeconds: Int64?
    /// Size of the attributes that the activity was started with; 0 when not known.
    public var attributesBytes: Int

    /// Makes a history; without arguments nothing is known.
    public init(lastTimestampSeconds: Int64? = nil, attributesBytes: Int = 0) {
        self.lastTimestampSeconds = lastTimestampSeconds
        self.attributesBytes = attributesBytes
    }
}
