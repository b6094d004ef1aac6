/// Effects that wait until a batch is durable, in order.
struct Gate: Sendable {
    private struct Item: Sendable {
        var batch: UInt64
        var effect: CoreEffect
    }

    private var items: [Item] = []
    private var head = 0

    var count: Int { items.count - head }

    /// Holds an effect back. Batches never go down along the queue, so an effect may wait for a later batch than it
    /// needs.
    mutating func hold(_ effect: CoreEffect, until batch: UInt64) {
        items.append(Item(batch: max(batch, items.last?.batch ?? 0), effect: effect))
    }

    /// Lets out what waited for batches up to `batch`.
    mutating func open(upTo batch: UInt64, into effects: inout [CoreEffect]) {
        while head < items.count, items[head].batch <= batch {
            effects.append(items[head].effect)
            head += 1
        }
        compact()
    }

    /// Takes out everything that waits for `batch` or later ones.
    mutating func takeAll(from batch: UInt64) -> [CoreEffect] {
        let start = items[head...].firstIndex { $0.batch >= batch } ?? items.count
        let taken = items[start...].map(\.effect)
        items.removeSubrange(start...)
        compact()
        return taken
    }

    private mutating func compact() {
        if head == items.count {
            items.removeAll(keepingCapacity: items.count < 4096)
            head = 0
        } else if head >= 1024, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
    }
}
