public import Delivery

/// What the APNs side of a node did so far and has under way; at most a tenth of a second old.
public struct APNsStatistics: Sendable {
    /// One connection at the moment of the snapshot.
    public struct Connection: Sendable, Hashable {
        /// Requests under way.
        public var streamsInUse: Int
        /// Requests that may be under way at once now.
        public var streamsAllowed: Int
    }

    /// How often an answer was given.
    public struct AnswerCount: Sendable, Hashable {
        /// The HTTP status.
        public var status: UInt16
        /// Apple's reason; empty when there was none.
        public var reason: String
        /// How often.
        public var count: UInt64
    }

    /// One app, over all loops.
    public struct App: Sendable {
        /// Open connections.
        public var connections: [Connection] = []
        /// Connections begun since the start.
        public var connects = 0
        /// Connections that ended before their first answer.
        public var failedConnects = 0
        /// GOAWAY frames.
        public var goAways = 0
        /// Requests handed to connections.
        public var requests: UInt64 = 0
        /// Answers with 200.
        public var accepted: UInt64 = 0
        /// Other answers, by status and reason.
        public var refused: [AnswerCount] = []
        /// Requests that APNs certainly did not process; they were sent again.
        public var unprocessed: UInt64 = 0
        /// Requests whose answer was lost, time-outs among them.
        public var answersLost: UInt64 = 0
        /// Requests that were cancelled because no answer came in time.
        public var timeouts: UInt64 = 0
        /// Connections closed because the node's lease had ended before their bytes left.
        public var heldBack: UInt64 = 0
        /// Time from request to answer, in nanoseconds: half of all were faster.
        public var latencyNanosecondsP50: Int64 = 0
        /// 99 of 100 were faster.
        public var latencyNanosecondsP99: Int64 = 0
        /// Age of the provider token; nil before the first.
        public var tokenAgeMilliseconds: Int64?
        /// Provider tokens signed; apps with the same key share them.
        public var tokensSigned: UInt64 = 0
    }

    /// One sending loop.
    public struct Loop: Sendable, Hashable {
        /// Offers that wait to be taken in.
        public var offersWaiting = 0
        /// Lanes in memory.
        public var lanes = 0
        /// What its lanes did.
        public var counters = LaneCounters()
    }

    /// The apps in the order of the settings.
    public var apps: [App] = []
    /// The loops.
    public var loops: [Loop] = []
    /// Seconds that our clock is behind APNs, as last reported; 0 when it agrees.
    public var clockSkewSeconds: Int64 = 0
}
