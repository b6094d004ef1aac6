internal import Delivery
internal import Telemetry

/// What a loop counts for one app.
struct AppFigures: Sendable {
    private struct Refusal: Hashable {
        var status: UInt16
        var reason: String
    }

    /// Different answers that are counted apart; the words come from outside.
    private static let refusalsMax = 64

    var requests: UInt64 = 0
    var accepted: UInt64 = 0
    var unprocessed: UInt64 = 0
    var answersLost: UInt64 = 0
    var timeouts: UInt64 = 0
    var heldBack: UInt64 = 0
    var latency = LatencyHistogram()
    private var refused: [Refusal: UInt64] = [:]

    mutating func countRefusal(_ answer: Answer) {
        var refusal = Refusal(status: answer.status, reason: answer.reason?.text ?? "")
        if refused[refusal] == nil, refused.count >= Self.refusalsMax { refusal = Refusal(status: 0, reason: "other") }
        refused[refusal, default: 0] += 1
    }

    mutating func merge(_ other: AppFigures) {
        requests += other.requests
        accepted += other.accepted
        unprocessed += other.unprocessed
        answersLost += other.answersLost
        timeouts += other.timeouts
        heldBack += other.heldBack
        latency.merge(other.latency)
        refused.merge(other.refused, uniquingKeysWith: +)
    }

    /// The refusals by status and reason.
    var refusals: [APNsStatistics.AnswerCount] {
        refused.map { APNsStatistics.AnswerCount(status: $0.key.status, reason: $0.key.reason, count: $0.value) }
            .sorted { ($0.status, $0.reason) < ($1.status, $1.reason) }
    }
}

/// A loop's figures as it last published them.
struct LoopFigures: Sendable {
    struct App: Sendable {
        var index: UInt16
        var figures: AppFigures
        var pool: PoolCounters
        var connections: [APNsStatistics.Connection]
    }

    var apps: [App] = []
    var lanes = 0
    var counters = LaneCounters()
    var inFlight = 0
}
