extension Code {
    /// The directory or file of the database cannot be made or opened.
    public static let storeUnavailable = Code(
        "CRL-S100", "store-unavailable", "The database cannot be opened.",
        "Check that data_dir exists, is writable for this user and is on a working disk.", exit: .io)
    /// Another process has the directory.
    public static let storeLocked = Code(
        "CRL-S101", "store-locked", "Another process uses this data directory.",
        "Stop that process, or give this node a data_dir of its own.", exit: .unavailable)
    /// The file is no database, or damaged.
    public static let storeCorrupt = Code(
        "CRL-S102", "store-corrupt", "The database is damaged.",
        "Move the directory away and start empty, or restore a copy; what was acknowledged may be lost.", exit: .io)
    /// The file was written by a newer version.
    public static let storeTooNew = Code(
        "CRL-S103", "store-too-new", "The database was written by a newer version of Carillon.",
        "Start the newer version, or another data_dir.", exit: .config)
    /// A transaction failed.
    public static let storeWriteFailed = Code(
        "CRL-S104", "store-write-failed", "A transaction could not be committed.",
        "Look at free space and health of the disk; the node refuses events until writes succeed.",
        retryable: true, exit: .io)
    /// Reading failed.
    public static let storeReadFailed = Code(
        "CRL-S105", "store-read-failed", "Stored rows could not be read.",
        "Look at the health of the disk, then start again.", exit: .io)

    /// Area S: what the storage may say.
    static let storageCodes: [Code] = [
        storeUnavailable, storeLocked, storeCorrupt, storeTooNew, storeWriteFailed, storeReadFailed,
    ]
}
