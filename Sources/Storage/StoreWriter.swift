import Codes
import Loops

/// What the store's thread does with the file: commits first, housekeeping when nothing waits or when it must.
struct StoreWriter {
    private let file: StoreFile
    private let settings: StoreSettings
    private let figures: Lock<StoreStatistics>
    private let onCommit: @Sendable (UInt64, Fault?) -> Void
    /// After a failure housekeeping waits for the next commit, so that a full disk is not hammered.
    private var resting = false
    /// Why the last transaction was lost, until a retry comes.
    private var lost: Fault?
    /// When the last commit ended, in milliseconds since boot.
    private var committedAt: Int64 = 0

    init(
        file: StoreFile, settings: StoreSettings, figures: Lock<StoreStatistics>,
        onCommit: @escaping @Sendable (UInt64, Fault?) -> Void
    ) {
        self.file = file
        self.settings = settings
        self.figures = figures
        self.onCommit = onCommit
    }

    /// One transaction of all batches, reported; then the housekeeping that cannot wait. After a failure everything is
    /// refused up to a retry: what comes behind a lost batch must not be kept without it.
    mutating func commit(_ batches: [StoreBatch]) {
        guard let lost else { return commitWhole(batches) }
        let retry = batches.firstIndex { $0.isRetry } ?? batches.count
        if retry > 0 { onCommit(batches[retry - 1].number, lost) }
        guard retry < batches.count else { return }
        self.lost = nil
        commitWhole(Array(batches[retry...]))
    }

    private mutating func commitWhole(_ batches: [StoreBatch]) {
        let start = Clock.monotonicNanoseconds()
        let rows = batches.reduce(0) { $0 + $1.writes.count }
        let failure = attempt { () throws(Fault) in try file.commit(batches) }
        let microseconds = (Clock.monotonicNanoseconds() - start) / 1000
        figures.withLock { figures in
            if failure == nil {
                figures.commits += 1
                figures.rows += UInt64(rows)
                figures.lastCommitMicroseconds = microseconds
                figures.worstCommitMicroseconds = max(figures.worstCommitMicroseconds, microseconds)
            } else {
                figures.failedCommits += 1
            }
            note(&figures)
        }
        lost = failure
        onCommit(batches[batches.count - 1].number, failure)
        resting = false
        if failure != nil { makeRoom() }
        // Twice what came in, so that the journal shrinks however fast it is written.
        if file.journalRows > journalRowsAllowed { fold(rows: max(settings.foldRows, 2 * rows)) }
        if file.logPages > settings.checkpointPagesMax { checkpoint(truncate: false) }
        committedAt = Clock.bootMilliseconds()
    }

    /// With several rows of each name most of the oldest are replaced by the time when they are folded, and cost their
    /// deletion instead of a page of `latest`.
    private var journalRowsAllowed: Int {
        let wanted = min(settings.journalRowsPerName * file.journalNames, settings.journalRowsBusyMax)
        return max(settings.journalRowsMax, wanted)
    }

    /// A full database may only be full of journal rows whose keys have newer values: folding frees their pages.
    private mutating func makeRoom() {
        while !resting, file.journalRows > 0 { fold(rows: settings.foldRows) }
        if !resting { checkpoint(truncate: false) }
    }

    /// One slice of what can wait, if it is time: how long to sleep before the next, in milliseconds; -1: until there
    /// is a commit.
    mutating func keepHouse() -> Int32 {
        guard isUntidy else { return -1 }
        let rest = committedAt + Int64(settings.idleMilliseconds) - Clock.bootMilliseconds()
        guard rest <= 0 else { return Int32(clamping: rest) }
        tidy()
        return 0
    }

    private var isUntidy: Bool {
        !resting
            && (file.journalRows >= settings.journalRowsFoldedWhenIdle
                || file.logPages >= settings.checkpointPagesWhenIdle)
    }

    private mutating func tidy() {
        if file.journalRows >= settings.journalRowsFoldedWhenIdle {
            fold(rows: settings.foldRows)
        } else {
            checkpoint(truncate: false)
        }
    }

    /// Folds what it can in the time that a stop has, and empties the log.
    mutating func finish() {
        resting = false
        let deadline = Clock.bootMilliseconds() + Int64(settings.finishMilliseconds)
        while !resting, file.journalRows > 0, Clock.bootMilliseconds() < deadline {
            fold(rows: max(settings.foldRows, 4_096))
        }
        checkpoint(truncate: true)
    }

    private mutating func fold(rows: Int) {
        var folded = 0
        let file = file
        keepHouse { () throws(Fault) in folded = try file.fold(rows: rows) }
        figures.withLock { figures in
            figures.foldedRows += UInt64(folded)
            note(&figures)
        }
    }

    private mutating func checkpoint(truncate: Bool) {
        let file = file
        keepHouse { () throws(Fault) in try file.checkpoint(truncate: truncate) }
        figures.withLock { figures in
            figures.checkpoints += resting ? 0 : 1
            note(&figures)
        }
    }

    private mutating func keepHouse(_ work: () throws(Fault) -> Void) {
        guard attempt(work) != nil else { return }
        resting = true
        figures.withLock { $0.failedHousekeepings += 1 }
    }

    private func note(_ figures: inout StoreStatistics) {
        figures.journalRows = file.journalRows
        figures.logPages = file.logPages
    }

    private func attempt(_ work: () throws(Fault) -> Void) -> Fault? {
        do throws(Fault) {
            try work()
            return nil
        } catch {
            return error
        }
    }
}
