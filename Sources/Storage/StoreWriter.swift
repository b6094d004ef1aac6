internal import CLinux
internal import Codes
internal import Loops

/// The writer's side of a store: drains the mailbox, commits, folds when there is nothing better to do.
final class StoreWriter: @unchecked Sendable {  // database and buffers are used by one thread at a time: owner, then writer
    let mailbox: Mailbox<StoreBatch>
    let statistics = Lock(StoreStatistics())
    private var database: Database?
    private let settings: StoreSettings
    private let place: String
    private var batches: [StoreBatch] = []

    init(_ database: Database, _ settings: StoreSettings, place: String) {
        self.database = database
        self.settings = settings
        self.place = place
        mailbox = Mailbox(capacity: settings.mailboxCapacity)
    }

    func submit(_ batch: StoreBatch) -> Bool {
        if mailbox.post(batch) { return true }
        statistics.withLock { $0.refusedBatches += 1 }
        return false
    }

    func load(_ body: (UInt8, [UInt8], [UInt8]) -> Void) throws(Fault) {
        guard let database else { return }
        do throws(SQLiteError) {
            while database.journalRows > 0 { try database.fold(20_000) }
            try database.load(body)
        } catch {
            throw Fault(error.isCorruption ? .storeCorrupt : .storeReadFailed, error.text, at: place)
        }
    }

    // MARK: The thread

    func run(_ onCommit: (UInt64, Fault?) -> Void) {
        while true {
            mailbox.take(into: &batches)
            if batches.isEmpty {
                if foldSlice() { continue }
                if mailbox.isClosed, mailbox.count == 0 { break }
                wait()
                continue
            }
            commitAll(onCommit)
            while let database, database.journalRows > settings.journalRowsMax, foldSlice() {}
        }
        // The database closes with its last use, here, on the thread that wrote it.
        database = nil
    }

    private func commitAll(_ onCommit: (UInt64, Fault?) -> Void) {
        var start = 0
        while start < batches.count {
            var end = start
            var rows = 0
            repeat {
                rows += batches[end].writes.count
                end += 1
            } while end < batches.count && rows + batches[end].writes.count <= settings.transactionRowsMax
            commit(batches[start..<end], rows: rows, onCommit)
            start = end
        }
    }

    private func commit(_ part: ArraySlice<StoreBatch>, rows: Int, _ onCommit: (UInt64, Fault?) -> Void) {
        guard let database, let last = part.last else { return }
        let began = Clock.monotonicNanoseconds()
        do throws(SQLiteError) {
            try database.commit(part)
            note(rows: rows, microseconds: (Clock.monotonicNanoseconds() - began) / 1000)
            onCommit(last.number, nil)
        } catch {
            statistics.withLock { $0.failedBatches += UInt64(part.count) }
            let fault = Fault(.storeWriteFailed, error.text, at: place)
            for batch in part { onCommit(batch.number, fault) }
        }
    }

    private func note(rows: Int, microseconds: Int64) {
        let waiting = database?.journalRows ?? 0
        statistics.withLock { statistics in
            statistics.commits += 1
            statistics.rows += UInt64(rows)
            statistics.lastCommitMicroseconds = microseconds
            statistics.worstCommitMicroseconds = max(statistics.worstCommitMicroseconds, microseconds)
            statistics.journalRows = waiting
        }
    }

    /// Folds one slice; false when there is nothing to fold or the disk does not let it.
    private func foldSlice() -> Bool {
        guard let database, database.journalRows > 0 else { return false }
        let before = database.journalRows
        do throws(SQLiteError) {
            try database.fold(settings.foldRows)
        } catch {
            return false
        }
        let after = database.journalRows
        statistics.withLock { statistics in
            statistics.journalRows = after
            statistics.foldedRows += UInt64(before - after)
        }
        return true
    }

    private func wait() {
        var item = pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&item, 1, -1)
        mailbox.wakeup.clear()
    }
}
