/// How the store trades memory, disk and pauses.
public struct StoreSettings: Sendable, Hashable {
    /// Most batches that wait for the writer; beyond it `submit` says no. Memory: that many batches.
    public var waitingBatchesMax: Int
    /// Journal rows from which they are folded when the writer is idle. Lower: a shorter start, but an extra commit
    /// more often. A start reads that many rows twice.
    public var journalRowsFoldedWhenIdle: Int
    /// Journal rows from which they are folded after every commit, idle or not, faster than they come in, unless the
    /// next two settings allow more.
    public var journalRowsMax: Int
    /// Journal rows that may be kept for each name that has some. An update of `latest` writes a page, so what a later
    /// row replaces before it is folded is cheap: with 100,000 names a row costs 7 µs with 3 rows a name and 30 µs
    /// with 16,384 rows in all.
    public var journalRowsPerName: Int
    /// Most journal rows kept for that reason: they are read at a start after a crash, some 2 µs each, and take disk.
    public var journalRowsBusyMax: Int
    /// Rows of one slice of folding: how long, at up to 10 µs a row, a commit may have to wait for it.
    public var foldRows: Int
    /// Milliseconds without a commit after which the writer is idle. Folding in every gap between two commits would
    /// move keys that are about to be written again, and a busy machine makes gaps of tens of milliseconds.
    public var idleMilliseconds: Int
    /// Pages in the write-ahead log from which it is written back when the writer is idle.
    public var checkpointPagesWhenIdle: Int
    /// Pages in the write-ahead log from which it is written back after a commit, idle or not: a pause of tens of
    /// milliseconds, after the commit was reported.
    public var checkpointPagesMax: Int
    /// How long, in milliseconds, `stop` folds the journal, so that the next start reads each value once; what is left
    /// then stays in the journal.
    public var finishMilliseconds: Int
    /// Memory for pages of the file, in KiB.
    public var cacheKibibytes: Int
    /// Most pages (8 KiB) of the database file; nil: as many as the disk takes.
    public var databasePagesMax: Int?

    /// Makes settings; all of them must be positive.
    public init(
        waitingBatchesMax: Int = 65_536, journalRowsFoldedWhenIdle: Int = 4_096, journalRowsMax: Int = 16_384,
        journalRowsPerName: Int = 3, journalRowsBusyMax: Int = 524_288, foldRows: Int = 2_048,
        idleMilliseconds: Int = 250, checkpointPagesWhenIdle: Int = 500, checkpointPagesMax: Int = 4_000,
        finishMilliseconds: Int = 3_000, cacheKibibytes: Int = 8_192, databasePagesMax: Int? = nil
    ) {
        let sizes = [
            waitingBatchesMax, journalRowsFoldedWhenIdle, journalRowsMax, journalRowsPerName, journalRowsBusyMax,
            foldRows, idleMilliseconds, checkpointPagesWhenIdle, checkpointPagesMax, finishMilliseconds,
            cacheKibibytes, databasePagesMax ?? 1,
        ]
        precondition(sizes.allSatisfy { $0 > 0 }, "store settings must be positive: \(sizes)")
        self.waitingBatchesMax = waitingBatchesMax
        self.journalRowsFoldedWhenIdle = journalRowsFoldedWhenIdle
        self.journalRowsMax = journalRowsMax
        self.journalRowsPerName = journalRowsPerName
        self.journalRowsBusyMax = journalRowsBusyMax
        self.foldRows = foldRows
        self.idleMilliseconds = idleMilliseconds
        self.checkpointPagesWhenIdle = checkpointPagesWhenIdle
        self.checkpointPagesMax = checkpointPagesMax
        self.finishMilliseconds = finishMilliseconds
        self.cacheKibibytes = cacheKibibytes
        self.databasePagesMax = databasePagesMax
    }
}
