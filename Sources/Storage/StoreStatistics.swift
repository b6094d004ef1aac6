/// What a store has done since it was opened.
public struct StoreStatistics: Sendable, Hashable {
    /// Transactions committed.
    public var commits: UInt64 = 0
    /// Rows committed.
    public var rows: UInt64 = 0
    /// Batches whose transaction failed.
    public var failedBatches: UInt64 = 0
    /// Batches turned away because the queue was full.
    public var refusedBatches: UInt64 = 0
    /// Duration of the last commit, in microseconds.
    public var lastCommitMicroseconds: Int64 = 0
    /// Duration of the slowest commit, in microseconds.
    public var worstCommitMicroseconds: Int64 = 0
    /// Rows in the journal that are not yet folded.
    public var journalRows: Int = 0
    /// Rows folded into the table of latest values.
    public var foldedRows: UInt64 = 0
}
