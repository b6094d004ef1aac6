import Wire

/// A publish on its way through the client.
struct Submission: Sendable {
    /// Whom the result is for.
    enum Ticket: Sendable, Hashable {
        /// The pipelined interface: the caller's tag.
        case tag(UInt64)
        /// The async interface: a number that the shell keeps a continuation under.
        case waiter(UInt64)
    }

    var publish: Publish
    let ticket: Ticket
    /// When the caller must have a result.
    let deadline: Int64
    /// When it was sent last.
    var sentAt: Int64 = 0
    /// Whether it was sent in this session and holds credit: not while it waits to be sent again.
    var isOut = false

    init(publish: Publish, ticket: Ticket, deadline: Int64) {
        self.publish = publish
        self.ticket = ticket
        self.deadline = deadline
    }
}

/// First in, first out, without moving elements at every step.
struct SubmissionQueue {
    private var elements: [Submission?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Submission? { isEmpty ? nil : elements[head] }

    mutating func append(_ submission: Submission) { elements.append(submission) }

    mutating func popFirst() -> Submission? {
        guard !isEmpty else { return nil }
        let submission = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 4096, head * 2 > elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return submission
    }
}
