/// What a row is about.
struct StoreName: Hashable {
    let kind: UInt8
    let key: [UInt8]
}

/// 128 bits of a name's hash, keyed by the process: what a name in the journal is known by in memory. Two names of one
/// mark would need some 2^60 names.
struct NameMark: Hashable {
    private let high: UInt64
    private let low: UInt64

    init(kind: UInt8, key: [UInt8]) {
        func half(_ number: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(number)
            hasher.combine(kind)
            key.withUnsafeBytes { hasher.combine(bytes: $0) }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        high = half(0)
        low = half(1)
    }
}

/// Which of the journal's rows is the newest of its name, in memory, so that folding only moves what no later row
/// replaces. A key that is written many times a second is moved once in a long while.
struct JournalIndex {
    /// A row to be moved.
    struct Newest {
        let row: Int64
        fileprivate let number: Int32
    }

    /// A name that occurs in the journal.
    private struct Entry {
        var mark: NameMark
        var newestRow: Int64
    }

    /// Number of the oldest row, if there is any.
    private(set) var firstRow: Int64
    /// For each row from `firstRow` on, behind `head` that are gone, the number of its name: hashed once, when it
    /// comes.
    private var rows: [Int32] = []
    private var head = 0
    private var entries: [Entry] = []
    private var free: [Int32] = []
    private var numbers: [NameMark: Int32] = [:]

    /// An empty journal whose next row is `firstRow`.
    init(firstRow: Int64 = 1) { self.firstRow = firstRow }

    /// Rows in the journal.
    var count: Int { rows.count - head }
    /// Number of the next row.
    var nextRow: Int64 { firstRow + Int64(count) }
    /// Names that have rows in the journal.
    var nameCount: Int { numbers.count }

    /// A row is on disk.
    mutating func append(_ mark: NameMark) {
        let number = number(of: mark)
        entries[Int(number)].newestRow = nextRow
        rows.append(number)
    }

    private mutating func number(of mark: NameMark) -> Int32 {
        if let number = numbers[mark] { return number }
        let entry = Entry(mark: mark, newestRow: nextRow)
        let number: Int32
        if let reused = free.popLast() {
            number = reused
            entries[Int(number)] = entry
        } else {
            number = Int32(entries.count)
            entries.append(entry)
        }
        numbers[mark] = number
        return number
    }

    /// Those of the oldest `count` rows that no later row replaces.
    func newest(among count: Int) -> [Newest] {
        var result: [Newest] = []
        for offset in 0..<count {
            let number = rows[head + offset]
            let row = firstRow + Int64(offset)
            if entries[Int(number)].newestRow == row { result.append(Newest(row: row, number: number)) }
        }
        return result
    }

    /// The oldest `count` rows are gone; `moved` are the newest among them.
    mutating func removeFirst(_ count: Int, moved: [Newest]) {
        for newest in moved {
            numbers[entries[Int(newest.number)].mark] = nil
            free.append(newest.number)
        }
        head += count
        firstRow += Int64(count)
        guard head * 2 >= rows.count else { return }
        rows.removeFirst(head)
        head = 0
    }
}
