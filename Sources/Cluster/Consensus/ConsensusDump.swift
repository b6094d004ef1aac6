public import Wire

/// The state of consensus for people.
public struct ConsensusDump: Hashable, Sendable {
    /// What the leader knows of another member.
    public struct Peer: Hashable, Sendable {
        /// Who it is.
        public var node: NodeID
        /// It has everything up to here, durably.
        public var matched: UInt64
        /// What is sent next.
        public var next: UInt64
        /// Entries follow each other without waiting.
        public var isStreaming: Bool
        /// Bytes of a snapshot that it has and that there are; nil: it needs none.
        public var snapshot: Snapshot?
        /// Milliseconds since the heartbeat was sent that it answered last; nil: none in this term.
        public var silentMilliseconds: Int64?
    }

    /// How far a snapshot has come.
    public struct Snapshot: Hashable, Sendable {
        /// Bytes that have arrived.
        public var taken: Int
        /// Bytes in all.
        public var bytes: Int
    }

    /// What part it plays.
    public var role: ConsensusRole
    /// The current term.
    public var term: UInt64
    /// Who leads, if that is known.
    public var leader: NodeID?
    /// Whether it leads and nobody else can.
    public var hasQuorum: Bool
    /// Index up to which the log is committed.
    public var committed: UInt64
    /// Index of the last entry.
    public var lastIndex: UInt64
    /// Index of the snapshot; 0: none.
    public var snapshotIndex: UInt64
    /// Payload bytes that are not in the snapshot.
    public var logBytes: Int
    /// Voters and learners.
    public var voters: VoterSet
    /// Whether that set is committed.
    public var votersAreCommitted: Bool
    /// Whether it gives no vote because its log was damaged.
    public var isDamaged: Bool
    /// The other members, sorted; empty unless it leads.
    public var peers: [Peer]
    /// What was counted.
    public var counters: ConsensusCounters
}

extension Consensus {
    /// The state at `now`, for people.
    public func dump(now: Int64) -> ConsensusDump {
        ConsensusDump(
            role: role, term: ballot.term, leader: leader, hasQuorum: hasQuorum(now: now), committed: committed,
            lastIndex: log.lastIndex, snapshotIndex: snapshot?.index ?? 0, logBytes: logBytes, voters: configuration,
            votersAreCommitted: votersAreCommitted, isDamaged: isDamaged,
            peers: peers.sorted { $0.key < $1.key }.map { Self.describe($0.key, $0.value, now) }, counters: counters)
    }

    private static func describe(_ node: NodeID, _ peer: ConsensusPeer, _ now: Int64) -> ConsensusDump.Peer {
        ConsensusDump.Peer(
            node: node, matched: peer.matched, next: peer.next, isStreaming: peer.mode == .streaming,
            snapshot: peer.snapshot.map { .init(taken: peer.snapshotOffset, bytes: $0.state.count) },
            silentMilliseconds: peer.heardAt.map { now - $0 })
    }
}
