internal import Telemetry
internal import Wire

/// How long pings to living members take: from handing them to the mesh until the core has taken the answer. Whatever
/// holds up a node's control plane, at either end, shows here. Bounded.
///
/// Measured here rather than in the core, whose clock counts milliseconds and stands still within a turn.
struct PingTimes {
    /// Most pings under way; the oldest makes room for one more and counts as unanswered.
    static let capacity = 1024
    /// After this time nobody waits for an answer any more, in microseconds.
    static let patienceMicroseconds: Int64 = 10_000_000

    private struct Ping {
        let node: NodeID
        let sequence: UInt32
        let sentAt: Int64
    }

    /// In the order of sending.
    private var underWay: [Ping] = []
    /// Round trips in microseconds.
    private(set) var roundTrips = LatencyHistogram()
    /// Pings that nobody answered, or too late.
    private(set) var unanswered: UInt64 = 0

    /// A ping was sent. One that is sent again counts from the first time. `now`: microseconds.
    mutating func sent(_ sequence: UInt32, to node: NodeID, now: Int64) {
        expire(now: now)
        guard place(of: sequence, node) == nil else { return }
        if underWay.count >= Self.capacity { giveUp(1) }
        underWay.append(Ping(node: node, sequence: sequence, sentAt: now))
    }

    /// An answer was taken; others than awaited ones change nothing.
    mutating func answered(_ sequence: UInt32, by node: NodeID, now: Int64) {
        expire(now: now)
        guard let place = place(of: sequence, node) else { return }
        roundTrips.record(now - underWay.remove(at: place).sentAt)
    }

    private func place(of sequence: UInt32, _ node: NodeID) -> Int? {
        underWay.lastIndex { $0.sequence == sequence && $0.node == node }
    }

    private mutating func expire(now: Int64) {
        giveUp(underWay.prefix { $0.sentAt + Self.patienceMicroseconds <= now }.count)
    }

    private mutating func giveUp(_ count: Int) {
        guard count > 0 else { return }
        underWay.removeFirst(count)
        unanswered += UInt64(count)
    }
}
