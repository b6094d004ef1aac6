/// How the store trades memory, disk and pauses.
public struct StoreSettings: Sendable, Hashable {
    /// Most batches that wait for the writer; beyond it `submit` says no. Memory: that many batches.
    public var waitingBatchesMax: Int
    /// Journal rows from which they are folded when the writer is idle. Lower: a shorter start, but an extra commit
    /// more often. A start reads that many rows twice.
    public var journalRowsFoldedWhenIdle: Int
    /// Journal rows from which they are folded after every commit, idle or not, faster than they come in. More: a busy key is moved
    /// less often, but more pages have to be written back; 16,384 gave twice the rate of 65,536 over 20,000 keys.
    public var journalRowsMax: Int
    /// Rows of one slice of folding: how long, at up to 10 µs a row, a commit may have to wait for it.
    public var foldRows: Int
    /// Milliseconds without a commit after which the writer is idle. Folding in every gap between two commits would
    /// move keys that are about to be written again.
    public var idleMilliseconds: Int
    /// Pages in the write-ahead log from which it is written back when the writer is idle.
    public var checkpointPagesWhenIdle: Int
    /// Pages in the write-ahead log from which it is written back after a commit, idle or not: a pause of tens of
    /// milliseconds, after the commit was reported.
    public var checkpointPagesMax: Int
    /// Most pages (4 KiB) of the database file; nil: as many as the disk takes.
    public var databasePagesMax: Int?

    /// Makes settings; all of them must be positive.
    public init(
        waitingBatchesMax: Int = 65_536, journalRowsFoldedWhenIdle: Int = 4_096, journalRowsMax: Int = 16_384,
        foldRows: Int = 2_048, idleMilliseconds: Int = 20, checkpointPagesWhenIdle: Int = 1_000,
        checkpointPagesMax: Int = 8_000,
        databasePagesMax: Int? = nil
    ) {
        let sizes = [
            waitingBatchesMax, journalRowsFoldedWhenIdle, journalRowsMax, foldRows, idleMilliseconds,
            checkpointPagesWhenIdle, checkpointPagesMax, databasePagesMax ?? 1,
        ]
        precondition(sizes.allSatisfy { $0 > 0 }, "store settings must be positive: \(sizes)")
        self.waitingBatchesMax = waitingBatchesMax
        self.journalRowsFoldedWhenIdle = journalRowsFoldedWhenIdle
        self.journalRowsMax = journalRowsMax
        self.foldRows = foldRows
        self.idleMilliseconds = idleMilliseconds
        self.checkpointPagesWhenIdle = checkpointPagesWhenIdle
        self.checkpointPagesMax = checkpointPagesMax
        self.databasePagesMax = databasePagesMax
    }
}
