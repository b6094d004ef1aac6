/// The knobs of a store.
public struct StoreSettings: Sendable, Hashable {
    /// Most batches that wait for the writer; `submit` says no beyond. At least 1.
    public var mailboxCapacity = 16_384
    /// Most rows of one transaction; more waiting rows make further transactions. At least 1.
    public var transactionRowsMax = 4096
    /// Pages of 4 KB in the write-ahead log after which it is copied into the database, on the writer thread.
    public var checkpointPages = 4000
    /// Journal rows from which on folding no longer waits for an idle moment: a bound for start-up time and disk use.
    public var journalRowsMax = 200_000
    /// Journal rows that are folded in one transaction.
    public var foldRows = 1000
    /// Most 4 KB pages of the database, 0 for no limit of its own: how tests see a full disk.
    public var pagesMax = 0

    /// The defaults above.
    public init() {}
}
