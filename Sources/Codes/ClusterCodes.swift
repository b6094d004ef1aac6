extension Code {
    /// A stored row cannot be read back.
    public static let rowUnreadable = Code(
        "CRL-N100", "row-unreadable", "A stored row cannot be read and is left out.",
        "Keep a copy of the database file and report it; the key is served again with its next event.")
    /// A stored row was written by a newer version.
    public static let rowTooNew = Code(
        "CRL-N101", "row-too-new", "A stored row was written by a newer version of Carillon.",
        "Start the version that wrote it, or a newer one.")
    /// A row of a kind that this version does not know.
    public static let rowUnknown = Code(
        "CRL-N102", "row-unknown", "A stored row is of a kind that this version does not know.",
        "Start the version that wrote it, or a newer one.")

    /// Area N: what the core of a node may say of its own state.
    static let clusterCodes: [Code] = [rowUnreadable, rowTooNew, rowUnknown]
}
