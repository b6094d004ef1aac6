import Delivery
public import Wire

/// The shards of one node: their tables, and what the node is for each.
///
/// A shard is a map of rows in a total order of changes, led by the owner that the placement names (Docs/Cluster.md,
/// Replication). The node calls `handle`, `place`, `stored` and `write` as things happen and `endTurn` once at the end
/// of each turn; all rows of one turn belong to one batch.
public struct ShardSet: Sendable {
    /// A promise that is being written.
    struct PromiseUnderWay: Sendable {
        var batch: UInt64
        var shard: UInt16
        var epoch: UInt64
    }

    /// A change of a shard that is being written here.
    struct OwnChange: Sendable {
        var batch: UInt64
        var shard: UInt16
        var epoch: UInt64
        var count: UInt64
    }

    let settings: ShardSettings
    let me: NodeID
    /// The upper half of the numbers of the first streams of this run, so that no answer to an earlier run fits.
    private let firstStream: UInt64
    var shards = [HeldShard](repeating: HeldShard(), count: Int(Shard.registry) + 1)
    var peers: [ShardPeer] = []
    private var peerPlaces: [NodeID: Int] = [:]
    /// Rows on their way here, by shard.
    var arrivals: [UInt16: RowsArrival] = [:]
    var stagedBytes = 0
    var promises = FIFO<PromiseUnderWay>()
    var ownChanges = FIFO<OwnChange>()
    var toCheck: [Int] = []
    var toEvaluate: [Int] = []
    var openProgress = Progress()
    /// Tells the uses of marks in shards apart.
    var serial: UInt64 = 0
    var retryAt: Int64 = .min
    var repeatAt: Int64 = .min
    var sweepAt: Int64 = .min
    var digestAt: Int64 = .min
    /// What happened since the start.
    public internal(set) var counters = ShardCounters()

    /// Makes the shards of a node, before what it has stored is restored. `generation` is the node's own: it tells the
    /// answers to this run from those to earlier ones.
    public init(settings: ShardSettings, me: NodeID, generation: UInt64) {
        self.settings = settings
        self.me = me
        firstStream = (generation & 0x7fff_ffff) << 32
    }

    // MARK: Start

    /// Takes a stored row of a shard or a shard's state, in any order; false when it is none.
    public mutating func restore(kind: StoredKind, key: [UInt8], value: [UInt8]) -> Bool {
        guard let (shard, rowKey) = StoredShard.split(key: key) else { return false }
        let index = Int(shard)
        if kind == .shardState {
            guard rowKey.isEmpty, let promised = StoredShard.readState(value, into: &shards[index].table)
            else { return false }
            shards[index].promised = promised
            return true
        }
        guard kind.rawValue < StoredKind.node.rawValue, let (version, value) = StoredShard.split(value: value)
        else { return false }
        shards[index].table.put(ShardTable.Name(kind: kind.rawValue, key: rowKey), version: version, value: value)
        shards[index].table.watermark = max(shards[index].table.watermark, version)
        return true
    }

    /// All stored rows were given.
    public mutating func finishRestore() {
        for index in shards.indices {
            shards[index].table.rebuildTombstones()
            if shards[index].table.validity == .fresh, shards[index].table.watermark != .zero {
                shards[index].table.validity = .invalid
            }
        }
    }

    /// The disk may have lost what it once had, although the node is still the same: no table counts, and this node may
    /// own no shard, until the shard's owner has replaced the table. After `finishRestore`; the rows are to be stored.
    public mutating func distrust() -> [StoreWrite] {
        for index in shards.indices { shards[index].table.validity = .distrusted }
        return shards.indices.map(stateRow)
    }

    // MARK: Peers

    /// A peer's place in `peers`, which it gets when it is first heard of.
    mutating func peer(_ node: NodeID) -> Int {
        if let place = peerPlaces[node] { return place }
        peers.append(ShardPeer(node: node, stream: firstStream))
        peerPlaces[node] = peers.count - 1
        return peers.count - 1
    }

    func knownPeer(_ node: NodeID) -> Int? { peerPlaces[node] }

    /// A peer has started again (a higher generation than before), or can be reached again: what it lacks is found out
    /// and sent. Lower generations than the known one are ignored.
    public mutating func peerChanged(_ node: NodeID, generation: UInt64, now: Int64) {
        let place = peer(node)
        guard generation >= peers[place].generation else { return }
        if generation > peers[place].generation {
            if peers[place].generation != 0 {
                forgetProgress(of: place)
                peers[place].restart(generation: generation)
            }
            peers[place].generation = generation
            peers[place].mayBeUnknown = true
        }
        peers[place].askDelay = 0
        peers[place].askAt = now
        retryAt = min(retryAt, now)
    }

    /// What a run of a peer had does not count for the next one until it says where it stands.
    private mutating func forgetProgress(of place: Int) {
        for index in shards.indices where shards[index].stage != nil {
            guard let member = shards[index].members.place(of: place) else { continue }
            shards[index].members[member].state = .unknown
            shards[index].members[member].matched = 0
            shards[index].members[member].isReported = false
        }
        for (shard, arrival) in arrivals where arrival.peer == place { dropArrival(shard) }
    }

    mutating func dropArrival(_ shard: UInt16) {
        guard let arrival = arrivals.removeValue(forKey: shard) else { return }
        stagedBytes -= arrival.byteCount
    }

    // MARK: Rows of state

    /// The row that says what was promised and up to where the table is complete.
    func stateRow(_ index: Int) -> StoreWrite {
        let shard = UInt16(truncatingIfNeeded: index)
        let promised = settings.mutant == .promiseNotPersisted ? 0 : shards[index].promised
        return StoreWrite(
            kind: .shardState, key: StoredShard.key(shard: shard, []),
            value: StoredShard.state(promised: promised, table: shards[index].table))
    }

    // MARK: End of a turn

    /// Must be called at the end of each turn, with the batch that the turn's rows belong to: opens epochs, and lets
    /// out what the turn has collected for each peer.
    public mutating func endTurn(batch: UInt64, now: Int64, into effects: inout [ShardEffect]) {
        evaluateAll(batch: batch, now: now, into: &effects)
        checkAll(into: &effects)
        for place in peers.indices {
            flushCopies(place, now: now, into: &effects)
            flushAnswers(place, into: &effects)
            flushQuestions(place, now: now, into: &effects)
            pump(place, now: now, into: &effects)
        }
        checkAll(into: &effects)
        flushProgress(into: &effects)
    }
}
