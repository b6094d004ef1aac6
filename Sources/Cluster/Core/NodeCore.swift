import Codes
public import Delivery
public import Wire

/// The core of a node: membership, consensus, placement, copies and the keys it owns, joined. Pure: time comes in,
/// effects go out. Runs on the core thread.
///
/// One turn is any number of `handle` calls and one `endTurn`, which closes the turn's batch: all its rows become
/// durable together. After a start, `restore` takes every stored row and `finishRestore` ends it. Docs/Cluster.md says
/// how the parts work together.
///
/// It cannot be copied: a look at one of its parts would else copy hundreds of references.
public struct NodeCore: ~Copyable, Sendable {
    /// What it was told once.
    public let settings: NodeCoreSettings
    /// How it describes itself.
    public let description: NodeDescription
    /// The part that serves the shards this node owns.
    public internal(set) var owner: OwnerCore
    /// Who this node is; nil until `finishRestore`.
    public internal(set) var record: NodeRecord?
    /// What the cluster is; nil until there is one.
    public internal(set) var charter: Charter?
    /// What the log has built so far: members, placement, channels.
    public internal(set) var state = ClusterState()
    /// Counts since the start.
    public internal(set) var counters = NodeCounters()
    /// What the shards that this node took over since its start had in them.
    public internal(set) var adopted = RecoverySummary()

    var membership: Membership?
    var consensus: Consensus?
    var shards: ShardSet?
    var lease: LeaseClient?
    var coordinator: Coordinator?
    var coordinatesTerm: UInt64?
    var channels: ChannelDesk
    var disk: Disk
    var handing = Handing()
    var reachWatch: ReachWatch
    /// When a coordinator that is cut off from APNs looks next whether another voter should lead.
    var resignAt = Int64.min
    var staged: [StoreWrite]? = []
    var random: SplitMix64
    /// What a cluster is made from, if this node makes one.
    var seedBytes: [UInt8] = []

    /// Control messages of this node to itself.
    var loopback: [ControlMessage] = []
    /// Shards whose take-over is done, not yet given to the owner.
    var activated: [UInt16] = []
    /// Shards given to the owner since the last notice of that, and how long the slowest took.
    var takingOver: (shards: Int, milliseconds: Int64) = (0, 0)
    /// Shards that are being taken over, and from whom.
    var taken: [UInt16: NodeID] = [:]
    /// When shards were given to this node, for the notice.
    var placedAt: [UInt16: Int64] = [:]
    /// Which clusters the nodes that were heard of belong to.
    var clusterOf: [NodeID: NodeID] = [:]
    var announcedLease = Int64.min
    var hadLease = false
    var knownCoordinator: NodeID?

    var ownerEffects: [CoreEffect] = []
    var consensusEffects: [ConsensusEffect] = []
    var shardEffects: [ShardEffect] = []
    var membershipEffects: [MembershipEffect] = []
    var coordinatorEffects: [CoordinatorEffect] = []

    /// Makes an empty core. `restore` is allowed until `finishRestore`, which must be called before anything else.
    public init(settings: NodeCoreSettings, description: NodeDescription, random: UInt64) {
        self.settings = settings
        self.description = description
        self.random = SplitMix64(seed: random)
        owner = OwnerCore(settings: settings.core, admission: settings.admission)
        channels = ChannelDesk(settings: settings.core)
        disk = Disk(retryMilliseconds: settings.core.storeRetryMilliseconds)
        reachWatch = ReachWatch(lost: settings.cutOffMilliseconds, found: settings.foundMilliseconds)
    }

    // MARK: Turns

    /// Takes one input; effects are appended.
    public mutating func handle(_ input: NodeInput, now: Moment, into effects: inout [NodeEffect]) {
        guard record != nil else { return }
        switch input {
        case .request(let request): self.request(request, now: now, into: &effects)
        case .channel(let request): channel(request, now: now, into: &effects)
        case .control(let message, let header): control(message, header, now: now, into: &effects)
        case .replication(let message, let header): replication(message, header, now: now, into: &effects)
        case .stored(let batch): stored(upTo: batch, now: now, into: &effects)
        case .storeFailed(let batch): storeFailed(batch, now: now, into: &effects)
        case .report(let reports): handOver(.report(reports), now: now, into: &effects)
        case .acceptLoss(let origin, let shards): acceptLoss(of: shards, for: origin, now: now, into: &effects)
        case .drain(let isFinal): beginDrain(isFinal: isFinal, now: now, into: &effects)
        case .reach(let reach): reachWatch.take(reach, now: now.bootMilliseconds)
        case .tick: break
        }
        settle(now: now, into: &effects)
    }

    /// Ends a turn: advances everything that waits for time, releases what is due, sends the copies of the turn and
    /// closes its batch. Call it after the inputs of every turn, and when `nextDeadline` passes.
    public mutating func endTurn(now: Moment, into effects: inout [NodeEffect]) {
        guard record != nil else { return }
        if disk.retry(now: now.bootMilliseconds) { handOver(.storeRecovered, now: now, into: &effects) }
        advance(now: now, into: &effects)
        settle(now: now, into: &effects)
        watchLease(now: now, into: &effects)
        adoptActivated(now: now, into: &effects)
        serve(now: now, into: &effects)
        settle(now: now, into: &effects)
        shards?.endTurn(batch: disk.openBatch, now: now.bootMilliseconds, into: &shardEffects)
        settle(now: now, into: &effects)
        disk.close(into: &effects)
        alignBatches()
    }

    /// The owner's changes of a turn bear the number of the batch that their rows are in.
    mutating func alignBatches() {
        let batch = max(disk.openBatch, owner.openBatch)
        disk.open(batch: batch)
        owner.open(batch: batch)
    }

    /// When a turn is due even if nothing happens, in milliseconds since boot.
    public var nextDeadline: Int64? {
        guard activated.isEmpty else { return .min }
        return [
            owner.nextDeadline, disk.durableBatch > 0 ? membership?.nextDeadline : nil, consensus?.nextDeadline,
            shards?.nextDeadline, charter == nil ? nil : lease?.nextDeadline, coordinator?.nextDeadline,
            channels.nextDeadline, disk.retryAt, handing.nextDeadline, reachWatch.nextDeadline,
        ].compactMap { $0 }.min()
    }

    /// Lets the owner release what is due, and gives its changes of this turn to the shards' tables.
    private mutating func serve(now: Moment, into effects: inout [NodeEffect]) {
        owner.maySend = maySend(now: now)
        owner.endTurn(now: now, into: &ownerEffects)
        translateOwner(now: now, into: &effects)
        watchHanding(now: now, into: &effects)
    }

    // MARK: Inputs of this node's own callers

    private mutating func request(_ request: CoreInput, now: Moment, into effects: inout [NodeEffect]) {
        handOver(request, now: now, into: &effects)
    }

    /// Gives the owner an input and carries out what it wants.
    mutating func handOver(_ input: CoreInput, now: Moment, into effects: inout [NodeEffect]) {
        owner.handle(input, now: now, into: &ownerEffects)
        translateOwner(now: now, into: &effects)
    }

    // MARK: The disk

    private mutating func stored(upTo batch: UInt64, now: Moment, into effects: inout [NodeEffect]) {
        guard disk.stored(upTo: batch, into: &effects) else { return }
        shards?.stored(upTo: disk.durableBatch, now: now.bootMilliseconds, into: &shardEffects)
        if let mark = disk.takeMark() {
            consensus?.saved(mark: mark, now: now.bootMilliseconds, into: &consensusEffects)
        }
    }

    private mutating func storeFailed(_ batch: UInt64, now: Moment, into effects: inout [NodeEffect]) {
        guard disk.failed(batch, now: now.bootMilliseconds) else { return }
        handOver(.storeFailed(batch: batch), now: now, into: &effects)
    }
}

/// Counts of the cluster's part since the start, for metrics.
public struct NodeCounters: Hashable, Sendable {
    /// Control messages that named another cluster, another node or an old generation.
    public var misaddressed: UInt64 = 0
    /// Messages for nodes that are not known.
    public var unaddressable: UInt64 = 0
    /// Shards taken over from other nodes.
    public var takeOvers: UInt64 = 0
    /// Shards let go.
    public var letGo: UInt64 = 0
    /// Log entries that could not be read.
    public var unreadableEntries: UInt64 = 0

    /// All zero.
    public init() {}
}
