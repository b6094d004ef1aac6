/// When a kill strikes: always right after something was seen, never after a time.
enum KillMoment: CaseIterable, Sendable {
    /// An ack has just arrived: the event is on disk and not yet sent.
    case ack
    /// APNs has just taken a request, whose answer comes 50 ms later: it is written and unanswered.
    case write
    /// The node has just said what it recovered.
    case recovery
    /// The first ack after a start.
    case firstAck
    /// The first request that APNs takes after a start: the recovered events are on their way again.
    case firstWrite
    /// The last ack of all, after which nothing is published any more: what it acknowledged only the node can bring on.
    case lastAck

    /// Whether it follows the start at once, before the node has worked for a while.
    var isEarly: Bool { self != .ack && self != .write }

    /// A choice for the time of the load, in which acks and writes come more often.
    static func random(_ random: inout SplitMix64) -> KillMoment {
        let weighted: [KillMoment] = [.ack, .ack, .ack, .write, .write, .write, .recovery, .firstAck, .firstWrite]
        return weighted[Int(random.next() % UInt64(weighted.count))]
    }
}
