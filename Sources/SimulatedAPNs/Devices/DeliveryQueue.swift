/// Deliveries under way, earliest first; equal times keep their order. A binary heap.
struct DeliveryQueue: Sendable {
    private struct Entry: Sendable {
        let due: Int64
        let order: UInt64
        let delivery: Delivery

        func precedes(_ other: Entry) -> Bool { due == other.due ? order < other.order : due < other.due }
    }

    private var heap: [Entry] = []
    private var order: UInt64 = 0

    var count: Int { heap.count }

    /// Milliseconds since 1970 of the earliest delivery.
    var nextDue: Int64? { heap.first?.due }

    mutating func push(_ delivery: Delivery, due: Int64) {
        order += 1
        heap.append(Entry(due: due, order: order, delivery: delivery))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest delivery if it is due at `now`.
    mutating func pop(dueBy now: Int64) -> Delivery? {
        guard let first = heap.first, first.due <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first.delivery }
        heap[0] = last
        sink()
        return first.delivery
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
