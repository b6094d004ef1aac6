/// What a row is about.
struct StoreName: Hashable {
    let kind: UInt8
    let key: [UInt8]
}

/// The names of the journal's rows, in memory: which of them is the newest of its name, so that folding only moves what
/// no later row replaces. A key that is written many times a second is moved once in a long while.
struct JournalIndex {
    /// A row to be moved.
    struct Newest {
        let row: Int64
        let name: StoreName
        fileprivate let number: Int32
    }

    /// A name that occurs in the journal.
    private struct Entry {
        var name: StoreName
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
    private var numbers: [StoreName: Int32] = [:]

    /// An empty journal whose next row is `firstRow`.
    init(firstRow: Int64 = 1) { self.firstRow = firstRow }

    /// Rows in the journal.
    var count: Int { rows.count - head }
    /// Number of the next row.
    var nextRow: Int64 { firstRow + Int64(count) }

    /// A row is on disk.
    mutating func append(_ name: StoreName) {
        let number = number(of: name)
        entries[Int(number)].newestRow = nextRow
        rows.append(number)
    }

    private mutating func number(of name: StoreName) -> Int32 {
        if let number = numbers[name] { return number }
        let entry = Entry(name: name, newestRow: nextRow)
        let number: Int32
        if let reused = free.popLast() {
            number = reused
            entries[Int(number)] = entry
        } else {
            number = Int32(entries.count)
            entries.append(entry)
        }
        numbers[name] = number
        return number
    }

    /// Those of the oldest `count` rows that no later row replaces.
    func newest(among count: Int) -> [Newest] {
        var result: [Newest] = []
        for offset in 0..<count {
            let number = rows[head + offset]
            let row = firstRow + Int64(offset)
            if entries[Int(number)].newestRow == row {
                result.append(Newest(row: row, name: entries[Int(number)].name, number: number))
            }
        }
        return result
    }

    /// The oldest `count` rows are gone; `moved` are the newest among them.
    mutating func removeFirst(_ count: Int, moved: [Newest]) {
        for newest in moved {
            numbers[newest.name] = nil
            free.append(newest.number)
        }
        head += count
        firstRow += Int64(count)
        guard head * 2 >= rows.count else { return }
        rows.removeFirst(head)
        head = 0
    }
}
