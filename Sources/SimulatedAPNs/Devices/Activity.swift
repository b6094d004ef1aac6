public import LiveActivity

/// A Live Activity on one device: what it shows, and whether that ever went wrong.
public struct Activity: Sendable {
    /// How messages reach it.
    public enum Way: Hashable, Sendable {
        /// Index of its update token among the world's tokens.
        case token(String)
        /// Channel ID.
        case channel(String)
    }

    /// A state that was shown.
    public struct Showing: Hashable, Sendable {
        /// `aps.timestamp`.
        public var stampSeconds: Int64
        /// When the device showed it, milliseconds since 1970.
        public var atMilliseconds: Int64
        /// Identity of the content.
        public var stateHash: UInt64
        /// What it did.
        public var event: EventKind
    }

    /// Device it is on.
    public let device: Int
    /// App it belongs to.
    public let bundleID: String
    /// How messages reach it.
    public let way: Way
    /// Schema its states decode by; nil: anything decodes.
    let schema: Int?
    /// Whether an `end` was shown; nothing is shown after it.
    public private(set) var hasEnded = false
    /// The message it shows; nil until the first. After an `end` without content this is the state that stays.
    public private(set) var shown: Message?
    /// Stamp of the newest message shown.
    public private(set) var stampSeconds: Int64?
    /// When it showed that, milliseconds since 1970.
    public private(set) var shownAtMilliseconds: Int64 = 0
    /// Value of the schema's monotone field in what it shows.
    public private(set) var monotone: Double?
    /// Alerts that lit up the device.
    public private(set) var rings = 0
    /// Times it rang again for the same.
    public private(set) var rangTwice = 0
    /// Times it showed something older than before.
    public private(set) var wentBack = 0
    /// Messages that did not decode.
    public private(set) var decodeFailures = 0
    private var recent: [Showing] = []
    private var recentStart = 0
    private var ringIdentities: [UInt64] = []
    /// Sequence of the last message offered while online, or at joining.
    var offered: UInt64 = 0
    /// Message withheld by sabotage.
    var held: Message?

    init(device: Int, bundleID: String, way: Way, schema: Int?) {
        self.device = device
        self.bundleID = bundleID
        self.way = way
        self.schema = schema
    }

    /// The last states shown, oldest first, at most `Limits.historyPerActivity`.
    public var history: [Showing] { Array(recent[recentStart...] + recent[..<recentStart]) }

    /// A message has reached the device.
    mutating func receive(
        _ message: Message, obeying reading: StampReading?, nowMilliseconds: Int64, counting counters: inout Counters
    ) {
        counters.delivered += 1
        guard let event = message.event, event != .start, let stamp = message.stampSeconds,
            event == .end || !message.state.isEmpty
        else {
            counters.unreadable += 1
            return
        }
        guard !hasEnded else {
            if event == .end { counters.endsAfterEnd += 1 } else { counters.updatesAfterEnd += 1 }
            return
        }
        if let reading, let ignored = reading.judge(stamp, after: stampSeconds, nowMilliseconds: nowMilliseconds) {
            if ignored == .older { counters.ignoredOlder += 1 } else { counters.ignoredTooOld += 1 }
            return
        }
        show(message, event, stamp, nowMilliseconds, &counters)
    }

    /// The state that a push-to-start brings is shown without judging stamps: it is the first.
    mutating func begin(_ message: Message, stamp: Int64, nowMilliseconds: Int64, counting counters: inout Counters) {
        show(message, .start, stamp, nowMilliseconds, &counters)
    }

    private mutating func show(
        _ message: Message, _ event: EventKind, _ stamp: Int64, _ now: Int64, _ counters: inout Counters
    ) {
        let hasState = !message.state.isEmpty
        let verdict = message.verdict(for: hasState ? schema : nil)
        guard verdict.decodes else {
            decodeFailures += 1
            counters.decodeFailures += 1
            return
        }
        noteOrder(stamp, verdict.monotone, &counters)
        if hasState { shown = message }
        stampSeconds = stamp
        shownAtMilliseconds = now
        hasEnded = event == .end
        counters.shown += 1
        remember(Showing(stampSeconds: stamp, atMilliseconds: now, stateHash: message.stateHash, event: event))
        if let ring = message.ring { self.ring(ring, &counters) }
    }

    private mutating func noteOrder(_ stamp: Int64, _ value: Double?, _ counters: inout Counters) {
        let stampFell = stampSeconds.map { stamp < $0 } ?? false
        var valueFell = false
        if let value {
            valueFell = monotone.map { value < $0 } ?? false
            monotone = value
        }
        guard stampFell || valueFell else { return }
        wentBack += 1
        counters.wentBack += 1
    }

    /// The device lights up for an alert.
    mutating func ring(_ identity: UInt64, _ counters: inout Counters) {
        rings += 1
        counters.rings += 1
        if ringIdentities.contains(identity) {
            rangTwice += 1
            counters.rangTwice += 1
            return
        }
        if ringIdentities.count == Limits.ringsRemembered { ringIdentities.removeFirst() }
        ringIdentities.append(identity)
    }

    private mutating func remember(_ showing: Showing) {
        if recent.count < Limits.historyPerActivity {
            recent.append(showing)
        } else {
            recent[recentStart] = showing
            recentStart = (recentStart + 1) % Limits.historyPerActivity
        }
    }

    /// Forgets what it counted, not what it shows.
    mutating func resetCounters() {
        rings = 0
        rangTwice = 0
        wentBack = 0
        decodeFailures = 0
    }
}
