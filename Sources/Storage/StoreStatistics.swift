/// What the store has done since it was opened.
public struct StoreStatistics: Sendable, Hashable {
    /// Transactions that were kept.
    public var commits: UInt64 = 0
    /// Transactions that failed, each reported to `onCommit`.
    public var failedCommits: UInt64 = 0
    /// Rows of the transactions that were kept.
    public var rows: UInt64 = 0
    /// Batches refused because too many were waiting.
    public var refusedBatches: UInt64 = 0
    /// Duration of the last commit, from the first row to the durable end, in microseconds.
    public var lastCommitMicroseconds: Int64 = 0
    /// Longest of those.
    public var worstCommitMicroseconds: Int64 = 0
    /// Rows in the journal that are not yet folded.
    public var journalRows: Int = 0
    /// Rows folded so far.
    public var foldedRows: UInt64 = 0
    /// Slices of folding and checkpoints that failed; they are tried again after the next commit.
    public var failedHousekeepings: UInt64 = 0
    /// Times that the write-ahead log was written back.
    public var checkpoints: UInt64 = 0
    /// Pages in the write-ahead log after the last commit or checkpoint.
    public var logPages: Int = 0
}
