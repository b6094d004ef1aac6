/// The node's side of the credit of one session: who may still publish, and when a lowered credit may be held against a
/// producer.
///
/// A producer cannot know of a lower credit before an answer that was sent after it has arrived. Until the node has
/// sent and the producer has used such an answer, at most `old credit - unanswered` publishes can still be under way;
/// so many are let through, then the new credit holds. No acknowledgement of `credit` is needed for that, because order
/// is kept both ways.
public struct NodeCredit: Hashable, Sendable {
    /// The credit told last.
    public private(set) var credit: Int
    /// Publishes taken and not yet answered.
    public private(set) var unanswered = 0
    /// Other requests taken and not yet answered.
    public private(set) var unansweredRequests = 0
    private var underWay = 0
    private var former: Int

    /// Begins with the credit of `ready`.
    public init(credit: Int) {
        let credit = Self.clamped(credit)
        self.credit = credit
        former = credit
    }

    private static func clamped(_ credit: Int) -> Int { min(max(credit, 0), ProducerProtocol.creditMax) }

    /// Takes a publish; false when it exceeds the credit: it is then not counted and must be refused with `overloaded`.
    public mutating func takePublish() -> Bool {
        let limit = underWay > 0 ? max(former, credit) : credit
        underWay = max(0, underWay - 1)
        guard unanswered < limit else { return false }
        unanswered += 1
        return true
    }

    /// Call with every `ack` or `nack` of a publish that was taken.
    public mutating func answerPublish() {
        precondition(unanswered > 0, "more answers than publishes: \(self)")
        unanswered -= 1
    }

    /// Takes another request; false when too many wait: refuse it with `overloaded`.
    public mutating func takeRequest() -> Bool {
        guard unansweredRequests < ProducerProtocol.unansweredRequestsMax else { return false }
        unansweredRequests += 1
        return true
    }

    /// Call with every answer to another request that was taken.
    public mutating func answerRequest() {
        precondition(unansweredRequests > 0, "more answers than requests: \(self)")
        unansweredRequests -= 1
    }

    /// Changes the credit; true when `credit` must be sent to the producer.
    public mutating func change(to new: Int) -> Bool {
        let new = Self.clamped(new)
        guard new != credit else { return false }
        if new < credit {
            // A limit that is still being phased out goes on to bound what may be under way.
            former = underWay > 0 ? max(former, credit) : credit
            underWay = max(0, former - unanswered)
        }
        credit = new
        return true
    }
}
