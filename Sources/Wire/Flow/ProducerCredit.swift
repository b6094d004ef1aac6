/// The producer's side of the credit: whether another publish may be sent now.
public struct ProducerCredit: Hashable, Sendable {
    /// The credit told last; 0 before `ready`.
    public private(set) var credit = 0
    /// Publishes sent and not yet answered.
    public private(set) var unanswered = 0

    /// Begins without credit: nothing may be published before `ready`.
    public init() {}

    /// How many publishes may be sent now.
    public var available: Int { max(0, credit - unanswered) }

    /// A session begins: whatever was unanswered in the one before is to be sent again and counts anew.
    public mutating func begin(credit: Int) {
        self.credit = credit
        unanswered = 0
    }

    /// The session is lost: nothing may be sent until the next `ready`.
    public mutating func end() {
        credit = 0
        unanswered = 0
    }

    /// The node changed the credit; it may be below what is unanswered.
    public mutating func change(to credit: Int) { self.credit = credit }

    /// Call with every publish that is sent.
    public mutating func send() {
        precondition(available > 0, "publish without credit: \(self)")
        unanswered += 1
    }

    /// Call with every `ack` or `nack` of a publish; answers of a former session are ignored by the caller.
    public mutating func answer() {
        unanswered = max(0, unanswered - 1)
    }
}
