import Wire

/// Entries without a gap behind (`baseIndex`, `baseTerm`), in memory.
struct ConsensusLog: Hashable, Sendable {
    private(set) var baseIndex: UInt64
    private(set) var baseTerm: UInt64
    private var entries: [LogEntry]
    /// Payload bytes of all entries.
    private(set) var bytes: Int

    init(baseIndex: UInt64 = 0, baseTerm: UInt64 = 0, entries: [LogEntry] = []) {
        self.baseIndex = baseIndex
        self.baseTerm = baseTerm
        self.entries = entries
        bytes = entries.reduce(0) { $0 + $1.payload.count }
    }

    var lastIndex: UInt64 { baseIndex + UInt64(entries.count) }
    var lastTerm: UInt64 { entries.last?.term ?? baseTerm }
    var count: Int { entries.count }

    /// Nil outside of what is known.
    func term(at index: UInt64) -> UInt64? {
        if index == baseIndex { return baseTerm }
        return entry(at: index)?.term
    }

    func entry(at index: UInt64) -> LogEntry? {
        guard index > baseIndex, index <= lastIndex else { return nil }
        return entries[Int(index - baseIndex - 1)]
    }

    mutating func append(_ entry: LogEntry) {
        precondition(entry.index == lastIndex + 1, "entry \(entry.index) does not follow \(lastIndex)")
        precondition(entry.term >= lastTerm, "term \(entry.term) does not follow \(lastTerm)")
        entries.append(entry)
        bytes += entry.payload.count
    }

    /// Leaves only what is below `index`.
    mutating func truncate(from index: UInt64) {
        precondition(index > baseIndex && index <= lastIndex, "cannot cut \(baseIndex)...\(lastIndex) at \(index)")
        let keep = Int(index - baseIndex - 1)
        bytes -= entries[keep...].reduce(0) { $0 + $1.payload.count }
        entries.removeSubrange(keep...)
    }

    /// Forgets everything up to `index`, which becomes the base.
    mutating func dropFirst(upTo index: UInt64) {
        guard index > baseIndex, let term = term(at: index) else { return }
        let count = Int(index - baseIndex)
        bytes -= entries[..<count].reduce(0) { $0 + $1.payload.count }
        entries.removeFirst(count)
        baseIndex = index
        baseTerm = term
    }

    /// As many entries from `index` on as fit; the first one always does.
    func slice(from index: UInt64, countMax: Int, bytesMax: Int) -> [LogEntry] {
        guard index > baseIndex, index <= lastIndex else { return [] }
        let start = Int(index - baseIndex - 1)
        var end = start
        var total = 0
        while end < entries.count, end - start < countMax {
            total += entries[end].payload.count
            if end > start, total > bytesMax { break }
            end += 1
        }
        return Array(entries[start..<end])
    }

    /// Payload bytes of the entries above `index`.
    func bytes(above index: UInt64) -> Int {
        guard index > baseIndex else { return bytes }
        guard index < lastIndex else { return 0 }
        return entries[Int(index - baseIndex)...].reduce(0) { $0 + $1.payload.count }
    }

    /// The first index of the run of entries with the term that stands at `index`, but at least `floor`.
    func firstIndex(ofTermAt index: UInt64, floor: UInt64) -> UInt64 {
        guard let term = term(at: index) else { return floor }
        var first = index
        while first > floor, first - 1 > baseIndex, self.term(at: first - 1) == term { first -= 1 }
        return first
    }
}
