/// Slots in the order of a time that was noted for them. An entry that no longer holds is skipped by the reader.
struct TimeLine: Sendable {
    struct Entry: Sendable {
        var slot: Int
        var ticket: UInt64
        var milliseconds: Int64
    }

    private var entries: [Entry] = []
    private var head = 0

    var first: Entry? { head < entries.count ? entries[head] : nil }
    var count: Int { entries.count - head }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    mutating func removeFirst() {
        guard head < entries.count else { return }
        head += 1
        guard head >= 1024, head * 2 >= entries.count else { return }
        entries.removeFirst(head)
        head = 0
    }

    /// Drops entries that do not hold any more.
    mutating func keep(where holds: (Entry) -> Bool) {
        entries = entries[head...].filter(holds)
        head = 0
    }
}
