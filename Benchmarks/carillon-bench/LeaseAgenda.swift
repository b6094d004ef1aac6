/// Things to happen in virtual time, by time and then in the order in which they were planned: a binary heap.
struct LeaseAgenda<Item> {
    private struct Entry {
        var time: Int64
        var serial: UInt64
        var item: Item

        func isBefore(_ other: Entry) -> Bool {
            time < other.time || time == other.time && serial < other.serial
        }
    }

    private var entries: [Entry] = []
    private var serial: UInt64 = 0

    mutating func plan(_ item: Item, at time: Int64) {
        serial += 1
        entries.append(Entry(time: time, serial: serial, item: item))
        var index = entries.count - 1
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The next thing that is due at `limit` or before, taken out.
    mutating func next(upTo limit: Int64) -> (time: Int64, item: Item)? {
        guard let first = entries.first, first.time <= limit else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        sink()
        return (first.time, first.item)
    }

    private mutating func sink() {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < entries.count else { return }
            if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
            guard entries[child].isBefore(entries[index]) else { return }
            entries.swapAt(index, child)
            index = child
        }
    }
}
