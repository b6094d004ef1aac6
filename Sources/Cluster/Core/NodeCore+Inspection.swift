public import Delivery
public import Wire

/// What a simulation looks at to judge a node by what is true of it and not by what it says. Nothing else reads it.
extension NodeCore {
    // MARK: The coordinator's log

    /// Whether this node leads the log.
    public var isLeader: Bool { consensus?.role == .leader }

    /// The entry of the log at an index, committed or not; nil outside of what is kept in memory.
    public func logEntry(at index: UInt64) -> LogEntry? { consensus?.log.entry(at: index) }

    /// The term of the entry at an index, that of the newest snapshot's last one included; nil when it is not known.
    public func logTerm(at index: UInt64) -> UInt64? { consensus?.log.term(at: index) }

    /// Index of the last entry, committed or not.
    public var lastLogIndex: UInt64 { consensus?.lastIndex ?? 0 }

    /// The sets of voters that may yet hold as far as this node knows, by index: the newest committed one and all
    /// behind it, any of which a change of leader may bring back.
    public var possibleVoters: [(index: UInt64, voters: [NodeID])] {
        guard let consensus else { return [] }
        let first = consensus.configurations.lastIndex { $0.index <= consensus.committed } ?? 0
        return consensus.configurations[first...].map { ($0.index, $0.set.voters) }
    }

    // MARK: Placement

    /// The members that this node's plan counts on for copies; empty on a node that does not coordinate.
    public var placementCandidates: [NodeID] { coordinator?.candidates.map(\.id) ?? [] }

    /// Whether this node coordinates and found nothing to do when it last looked at all shards.
    public var isPlacementAtRest: Bool { coordinator?.scanned != nil }

    // MARK: Shards

    /// Up to where this node's copy of a shard is complete.
    public func watermark(of shard: UInt16) -> ShardVersion { shards?.watermark(shard) ?? .zero }

    /// The epoch that this node has opened for a shard that it owns, and the change that it begins on; nil when it has
    /// not come so far.
    public func opened(_ shard: UInt16) -> (epoch: UInt64, base: ShardVersion)? { shards?.opened(shard) }

    /// The change up to which this node's copy of a shard has forgotten what was deleted.
    public func purged(of shard: UInt16) -> ShardVersion { shards?.purged(shard) ?? .zero }

    /// The newest change of a shard that this node owns and takes for committed; zero when there is none.
    public func committed(of shard: UInt16) -> ShardVersion { shards?.committed(shard) ?? .zero }
}

extension NodeCore {
    /// The token that this node would use for a device.
    public func deviceToken(
        of name: DeviceName, _ kind: Destination.Kind, attributesType: [UInt8]
    ) -> Destination? {
        owner.deviceTable.token(of: name, kind, attributesType)?.destination
    }
}

extension StoredLog {
    /// Which entry a row of the log holds, or a snapshot ends with: its index and term; nil for rows of other kinds and
    /// damaged ones. Does not look at the checksum.
    public static func place(kind: StoredKind, key: [UInt8], value: [UInt8]) -> (index: UInt64, term: UInt64)? {
        var row = RowReader(value)
        guard row.byte() == ConsensusRows.layoutVersion, let first = row.long() else { return nil }
        switch kind {
        case .logEntry: return ConsensusRows.index(ofKey: key).map { ($0, first) }
        case .logSnapshot: return row.long().map { (first, $0) }
        default: return nil
        }
    }
}
