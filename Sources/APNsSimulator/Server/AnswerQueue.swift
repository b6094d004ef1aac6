internal import SimulatedAPNs

/// Answers that wait for their time, earliest first, and what must not overtake them. As the delay seldom changes, a new one usually goes to the end.
struct AnswerQueue {
    enum Item {
        case answer(RequestID, Answer)
        /// New streams for a connection: said when its answers are out.
        case streams(connection: UInt64, Int)
    }

    struct Waiting {
        let due: Int64
        let item: Item
    }

    private var waiting: [Waiting] = []
    private var first = 0

    var count: Int { waiting.count - first }

    /// When the next one is due, in milliseconds since boot.
    var nextDue: Int64? { first < waiting.count ? waiting[first].due : nil }

    mutating func add(_ item: Item, due: Int64) {
        var place = waiting.count
        while place > first, waiting[place - 1].due > due { place -= 1 }
        waiting.insert(Waiting(due: due, item: item), at: place)
    }

    mutating func next(dueBy now: Int64) -> Waiting? {
        guard first < waiting.count, waiting[first].due <= now else { return nil }
        let next = waiting[first]
        first += 1
        if first > 1024, first * 2 > waiting.count {
            waiting.removeFirst(first)
            first = 0
        }
        return next
    }
}
