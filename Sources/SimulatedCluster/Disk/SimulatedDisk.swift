internal import Cluster

/// A node's disk and the thread that writes it: batches become durable in order and each as a whole, several at a time;
/// what was not durable is lost in a crash. It may be slow and it may fail for a while.
struct SimulatedDisk: Sendable {
    /// A row's place.
    struct Place: Hashable, Sendable {
        var kind: UInt8
        var key: [UInt8]

        func hash(into hasher: inout Hasher) {
            hasher.combine(kind)
            key.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// What came of a batch.
    enum Outcome: Sendable {
        case stored(UInt64)
        case failed(UInt64)
    }

    private struct Batch: Sendable {
        var number: UInt64
        var writes: [StoreWrite]
        var isRetry: Bool
    }

    private(set) var rows: [Place: [UInt8]] = [:]
    /// Newest event of each producer that lies here, read from the payloads of records.
    private(set) var events: [Place: EventMark] = [:]
    /// Terms of the entries of the coordinator's log that lie here.
    private var logTerms: [UInt64: UInt64] = [:]
    private var snapshot: (index: UInt64, term: UInt64) = (0, 0)
    private var logWrites: [UInt64] = []
    private var queue: [Batch] = []
    private var underWay = 0
    /// A batch failed: nothing is written until one comes that is a retry.
    private var isBroken = false

    /// Whether a commit has begun and not ended.
    var isBusy: Bool { underWay > 0 }

    /// Takes a batch; true when the thread was idle, so that a commit has to be planned.
    mutating func write(_ number: UInt64, _ writes: [StoreWrite], isRetry: Bool) -> Bool {
        queue.append(Batch(number: number, writes: writes, isRetry: isRetry))
        return beginCommit()
    }

    private mutating func beginCommit() -> Bool {
        guard underWay == 0, !queue.isEmpty else { return false }
        underWay = queue.count
        return true
    }

    /// The commit that was under way ends, well or not; true when the next one has begun.
    mutating func commit(fails: Bool, into outcomes: inout [Outcome]) -> Bool {
        var stored: UInt64?
        for batch in queue.prefix(underWay) {
            if batch.isRetry { isBroken = false }
            if fails { isBroken = true }
            if isBroken {
                outcomes.append(.failed(batch.number))
            } else {
                apply(batch.writes)
                stored = batch.number
            }
        }
        if let stored { outcomes.append(.stored(stored)) }
        queue.removeFirst(underWay)
        underWay = 0
        return beginCommit()
    }

    private mutating func apply(_ writes: [StoreWrite]) {
        for write in writes {
            let place = Place(kind: write.kind.rawValue, key: write.key)
            rows[place] = write.value
            switch write.kind {
            case .record: events[place] = write.value.flatMap(EventMark.init(in:))
            case .logEntry, .logSnapshot: noteLog(write)
            default: break
            }
        }
    }

    private mutating func noteLog(_ write: StoreWrite) {
        guard let value = write.value else {
            let index = write.key.reduce(0) { $0 << 8 | UInt64($1) }
            if write.kind == .logEntry { logTerms[index] = nil }
            return
        }
        guard let (index, term) = StoredLog.place(kind: write.kind, key: write.key, value: value) else { return }
        logWrites.append(index)
        if write.kind == .logEntry { logTerms[index] = term } else { snapshot = (index, term) }
    }

    // MARK: The log

    /// The last entry that the snapshot here stands for; 0: there is none.
    var snapshotIndex: UInt64 { snapshot.index }

    /// The term of an entry, or of the last one that the snapshot stands for; nil when it is not here.
    func logTerm(at index: UInt64) -> UInt64? {
        logTerms[index] ?? (index == snapshot.index && index > 0 ? snapshot.term : nil)
    }

    /// The entries that were written since this was asked last.
    mutating func takeLogWrites() -> [UInt64] {
        defer { logWrites.removeAll(keepingCapacity: true) }
        return logWrites
    }

    /// The machine lost its power or the process was killed.
    mutating func crash() {
        queue = []
        underWay = 0
        isBroken = false
    }

    /// The newest event of a producer that lies here.
    func newest(_ producer: Int) -> EventMark? {
        var newest: EventMark?
        for mark in events.values where mark.producer == producer {
            if newest.map({ $0 < mark }) ?? true { newest = mark }
        }
        return newest
    }

    /// All rows in an order that does not depend on hashing.
    var sortedPlaces: [Place] {
        rows.keys.sorted {
            guard $0.kind == $1.kind else { return $0.kind < $1.kind }
            guard $0.key.count == $1.key.count else { return $0.key.count < $1.key.count }
            return $0.key.lexicographicallyPrecedes($1.key)
        }
    }
}
