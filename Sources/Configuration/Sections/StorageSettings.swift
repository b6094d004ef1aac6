/// `[storage]`: the database of a node.
public struct StorageSettings: Sendable, Hashable {
    /// Pages in the write-ahead log after which it is folded into the database.
    public var checkpointPages = 4_000
    /// Milliseconds for which ended keys and their event IDs are remembered.
    public var endedKeepMilliseconds = 86_400_000
    /// Milliseconds for which deleted rows are remembered for replicas that were away.
    public var tombstoneKeepMilliseconds = 3_600_000

    /// With every default.
    public init() {}
}

extension StorageSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .integer(
            "checkpoint_pages", \.checkpointPages, 100...1_000_000,
            """
            Pages of 4 KB in the write-ahead log after which it is folded into the database, a pause of some 25 to \
            50 ms.
            """
        ),
        .integer(
            "ended_keep_ms", \.endedKeepMilliseconds, 60_000...2_592_000_000,
            "Time for which ended keys are remembered, so that late events are refused and outcomes can be asked for."),
        .integer(
            "tombstone_keep_ms", \.tombstoneKeepMilliseconds, 1_000...2_592_000_000,
            """
            Time for which deleted rows are remembered for a replica that is away; one that was away longer gets the \
            whole shard.
            """),
    ]
}
