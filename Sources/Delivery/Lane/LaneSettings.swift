/// The knobs of a lane table.
public struct LaneSettings: Hashable, Sendable {
    /// Most lanes in memory; beyond it idle ones go first, then offers come back as `overloaded`. 1 to 2^24 - 1.
    public var lanesMax: Int
    /// Oldest stamp that may be sent, in milliseconds (stamp rule S2).
    public var stampAgeMaxMilliseconds: Int64
    /// How long an idle lane is remembered, in milliseconds. Not shorter than the stamp age, so that the memory of
    /// what was sent lasts as long as anything older could still be sent.
    public var lingerMilliseconds: Int64
    /// How often an item is sent again after its answer was lost, before it is reported `unknown`.
    public var replaysMax: Int
    /// How often an unprocessed item goes out again at once, before its lane backs off.
    public var immediateRetriesMax: Int
    /// After the answer was lost.
    public var replay: BackOff
    /// After more than `immediateRetriesMax` unprocessed attempts.
    public var unprocessed: BackOff
    /// After 429 and refused credentials.
    public var throttled: BackOff
    /// After 5xx. Apple names 15 minutes; live state starts lower and grows to that.
    public var serverError: BackOff
    /// After an answer that only an operator can change.
    public var configuration: BackOff

    /// The defaults. All back-off numbers are our choice; Apple publishes none but the 15 minutes.
    public init(lanesMax: Int = 200_000) {
        self.lanesMax = lanesMax
        stampAgeMaxMilliseconds = 10_000
        lingerMilliseconds = 10_000
        replaysMax = 3
        immediateRetriesMax = 3
        replay = BackOff(baseMilliseconds: 500, maxMilliseconds: 5_000)
        unprocessed = BackOff(baseMilliseconds: 100, maxMilliseconds: 5_000)
        throttled = BackOff(baseMilliseconds: 1_000, maxMilliseconds: 60_000)
        serverError = BackOff(baseMilliseconds: 2_000, maxMilliseconds: 900_000)
        configuration = BackOff(baseMilliseconds: 60_000, maxMilliseconds: 900_000)
    }
}

/// What a lane table counted since it was made.
public struct LaneCounters: Hashable, Sendable {
    /// Items offered.
    public var offered = 0
    /// Requests handed out, retries among them.
    public var sent = 0
    /// Requests that repeat an item whose answer was lost.
    public var replayed = 0
    /// Requests that repeat an item which was certainly not processed or was refused for now.
    public var retried = 0
    /// Items that a newer one replaced.
    public var superseded = 0
    /// Items that expired before they were sent.
    public var expired = 0
    /// Items given back for a fresh stamp.
    public var stale = 0
    /// Items offered again while they were waiting or in flight; they count as one.
    public var repeated = 0
    /// Offers turned away because the table was full.
    public var overloaded = 0
    /// Items whose key left this node: nothing was said of them.
    public var withdrawn = 0
    /// Idle lanes forgotten early to make room.
    public var evicted = 0
    /// Answers and failures for requests that this table does not wait for.
    public var ignored = 0

    /// All zero.
    public init() {}
}
