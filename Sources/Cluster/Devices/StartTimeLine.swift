/// Starts in the order of their times. An entry that no longer holds is skipped by the reader.
struct StartTimeLine: Sendable {
    struct Entry: Sendable {
        var slot: Int
        var name: DeviceName
        var instance: UInt32
        var milliseconds: Int64
    }

    private var entries: [Entry] = []
    private var head = 0

    var first: Entry? { head < entries.count ? entries[head] : nil }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Takes entries of any times in.
    mutating func merge(_ more: [Entry], by isBefore: (Entry, Entry) -> Bool) {
        guard !more.isEmpty else { return }
        entries = (entries[head...] + more).sorted(by: isBefore)
        head = 0
    }

    mutating func removeFirst() {
        guard head < entries.count else { return }
        head += 1
        guard head >= 1024, head * 2 >= entries.count else { return }
        entries.removeFirst(head)
        head = 0
    }
}
