extension Code {
    /// Another process has the directory open.
    public static let storageLocked = Code(
        "CRL-S100", "storage-locked", "Another process uses this data directory.",
        "Stop the process named, or give this node a directory of its own.", exit: .cannotCreate)
    /// The directory or its files cannot be made or opened.
    public static let storageUnusable = Code(
        "CRL-S101", "storage-unusable", "The data directory cannot be used.",
        "Check that it exists, is a directory, and belongs to the user of this process.", exit: .cannotCreate)
    /// Written by a newer Carillon.
    public static let storageNewer = Code(
        "CRL-S102", "storage-newer", "The database was written by a newer version of Carillon.",
        "Run that version, or restore a backup from before the upgrade.", exit: .config)
    /// Not a database of Carillon.
    public static let storageForeign = Code(
        "CRL-S103", "storage-foreign", "The database belongs to another program.",
        "Give this node a directory of its own.", exit: .config)
    /// The file is damaged.
    public static let storageCorrupt = Code(
        "CRL-S104", "storage-corrupt", "The database file is damaged.",
        "Restore a backup, or move the directory away; the node then starts empty.", exit: .io)
    /// No room on the disk.
    public static let storageFull = Code(
        "CRL-S105", "storage-full", "The disk or the database's page limit is full; nothing of this write was kept.",
        "Make room: the node goes on by itself.", retryable: true, exit: .io)
    /// Reading or writing failed.
    public static let storageIO = Code(
        "CRL-S106", "storage-io", "Reading or writing the database failed; this write is not known to be kept.",
        "Look at the disk and the kernel's log.", retryable: true, exit: .io)
    /// Any other answer of the database.
    public static let storageFailed = Code(
        "CRL-S107", "storage-failed", "The database refused an operation.",
        "Report the detail; the node goes on if the next write succeeds.", retryable: true, exit: .io)

    /// Area S: what the storage may say.
    static let storageCodes: [Code] = [
        storageLocked, storageUnusable, storageNewer, storageForeign, storageCorrupt, storageFull, storageIO,
        storageFailed,
    ]
}
