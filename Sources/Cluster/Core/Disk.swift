import Delivery

/// What is written when, and what waits for it: the rows of a turn are one batch, batches are written in order, and a
/// batch that fails is written again before anything newer.
struct Disk: Sendable {
    private struct Held: Sendable {
        var batch: UInt64
        var effect: NodeEffect
    }

    /// Number of the batch that takes rows now.
    private(set) var openBatch: UInt64 = 1
    /// All batches up to this one are durable.
    private(set) var durableBatch: UInt64 = 0
    private var open: [StoreWrite] = []
    private var openIsRetry = false
    private var underWay: [(batch: UInt64, writes: [StoreWrite])] = []
    private var held = FIFO<Held>()
    private var marks: [(batch: UInt64, mark: UInt64)] = []
    private var lost: [StoreWrite] = []
    private(set) var retryAt: Int64?
    private let retryMilliseconds: Int64

    init(retryMilliseconds: Int64) { self.retryMilliseconds = retryMilliseconds }

    /// Whether a batch failed that has not been written again.
    var isFailing: Bool { retryAt != nil }
    /// Effects that wait.
    var heldCount: Int { held.count }
    /// The last batch that holds anything written so far.
    private var lastBatch: UInt64 { open.isEmpty && !isFailing ? openBatch - 1 : openBatch }

    /// Numbers may be left out, never used again.
    mutating func open(batch: UInt64) { openBatch = max(openBatch, batch) }

    /// Adds rows to the open batch.
    mutating func write(_ writes: [StoreWrite]) {
        if open.isEmpty { open = writes } else { open += writes }
    }

    /// Notes that everything consensus saved up to `mark` lies in the open batch or before it.
    mutating func note(mark: UInt64) { marks.append((lastBatch, mark)) }

    /// Lets an effect out once everything written so far is durable.
    mutating func after(_ effect: NodeEffect, into effects: inout [NodeEffect]) {
        let batch = lastBatch
        if batch <= durableBatch, heldCount == 0 {
            effects.append(effect)
        } else {
            held.append(Held(batch: batch, effect: effect))
        }
    }

    /// Closes the open batch. A batch that waits to be written again holds older values of the same rows: nothing may
    /// overtake it.
    mutating func close(into effects: inout [NodeEffect]) {
        guard !open.isEmpty else { return }
        let writes = open
        open = []
        guard !isFailing else {
            lost += writes
            openBatch += 1
            return
        }
        effects.append(.store(batch: openBatch, writes: writes, isRetry: openIsRetry))
        openIsRetry = false
        underWay.append((openBatch, writes))
        openBatch += 1
    }

    /// A batch became durable, and all before it. Returns false when it says nothing new.
    mutating func stored(upTo batch: UInt64, into effects: inout [NodeEffect]) -> Bool {
        guard let last = underWay.last(where: { $0.batch <= batch })?.batch, last > durableBatch else { return false }
        underWay.removeAll { $0.batch <= last }
        durableBatch = last
        while let next = held.first, next.batch <= durableBatch {
            effects.append(next.effect)
            held.removeFirst()
        }
        return true
    }

    /// The highest mark of consensus that is durable since it was asked for last.
    mutating func takeMark() -> UInt64? {
        let done = marks.prefix { $0.batch <= durableBatch }
        guard let mark = done.last?.mark else { return nil }
        marks.removeFirst(done.count)
        return mark
    }

    /// Nothing of the batch and of those behind it counts as stored. Returns false when nothing of that was under way.
    mutating func failed(_ batch: UInt64, now: Int64) -> Bool {
        let given = underWay.filter { $0.batch >= batch }
        guard !given.isEmpty else { return false }
        underWay.removeAll { $0.batch >= batch }
        lost = given.flatMap(\.writes) + lost
        retryAt = now + retryMilliseconds
        return true
    }

    /// Puts failed rows before the open ones when it is time. Returns whether it did.
    mutating func retry(now: Int64) -> Bool {
        guard let retryAt, retryAt <= now else { return false }
        open = lost + open
        lost = []
        self.retryAt = nil
        openIsRetry = true
        return true
    }
}
