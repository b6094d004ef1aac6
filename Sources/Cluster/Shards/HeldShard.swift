import Delivery
import Wire

/// One shard as this node has it.
struct HeldShard: Sendable {
    /// Changes in the order in which they were made, with the batch that they were written in.
    struct Uncommitted: Sendable {
        var count: UInt64
        var batch: UInt64
    }

    var entry = ShardEntry()
    var table = ShardTable()
    /// The highest epoch that was promised; lower ones are refused.
    var promised: UInt64 = 0

    // While this node is the owner.

    /// nil while another node is the owner.
    var stage: ShardStage?
    /// Everybody else whom the entry names.
    var members: [ShardMember] = []
    /// Which changes of this epoch are durable here.
    var ownDurable: UInt64 = 0
    /// Which changes of this epoch are on W replicas.
    var committed: UInt64 = 0
    var uncommitted = FIFO<Uncommitted>()
    /// Whom the rows are fetched from, since when.
    var source: Int?
    var sourceSince: Int64 = 0
    /// The watermark and the time at which tombstones were first seen.
    var tombstonesSince: (version: ShardVersion, time: Int64)?
    /// An operator has said that what cannot be read is lost.
    var acceptsLoss = false
    /// It begins with less than was committed, because an operator has accepted the loss of the rest.
    var isPartial = false
    /// Whether it is in the set's list of shards to look at.
    var isToCheck = false
    var isToEvaluate = false
    /// Which section of the write under way is this shard's.
    var section = 0
    var sectionTurn: UInt64 = 0
    /// Marks a shard that an answer under way refuses.
    var refusalTurn: UInt64 = 0

    var epoch: UInt64 { entry.epoch }
    /// Whether this node leads the shard, or is about to.
    var isLeading: Bool { stage != nil && stage != .closed }
    var isOpen: Bool { stage == .opening || stage == .active }

    /// Notes a change for the moment when it is committed.
    mutating func note(count: UInt64, batch: UInt64, limit: Int) {
        let change = Uncommitted(count: count, batch: batch)
        if uncommitted.count >= limit { uncommitted.replaceLast(change) } else { uncommitted.append(change) }
    }

    /// The latest batch whose changes are all committed now; nil when none is.
    mutating func takeCommitted() -> UInt64? {
        var batch: UInt64?
        while let next = uncommitted.first, next.count <= committed {
            batch = next.batch
            uncommitted.removeFirst()
        }
        // A turn may make two changes of a shard, one of them without rows: its batch waits for both.
        if let last = batch, uncommitted.first?.batch == last { return last - 1 }
        return batch
    }

    /// Forgets what only an owner knows.
    mutating func stepDown(to stage: ShardStage?) {
        self.stage = stage
        members = []
        ownDurable = 0
        committed = 0
        uncommitted = FIFO()
        source = nil
        acceptsLoss = false
        isPartial = false
        tombstonesSince = nil
    }
}

/// What an owner knows of another member of its shard.
struct ShardMember: Sendable {
    enum State: Sendable {
        /// It has to say where it stands.
        case unknown
        /// It has said so; nothing goes to it yet.
        case answered
        /// Rows wait to go to it or are on their way.
        case syncing
        /// It gets each change as it is made.
        case streaming
    }

    /// Index of the peer.
    let peer: Int
    var isReplica = false
    var isLearner = false
    var isFormer = false
    var state = State.unknown
    /// Whether it has promised this epoch.
    var hasPromised = false
    /// Where it said that it stands.
    var watermark = ShardVersion.zero
    var isValid = false
    /// Its table must be replaced although its watermark fits.
    var needsWhole = false
    /// Which changes of this epoch it has durably; 0: none.
    var matched: UInt64 = 0
    /// The stream of copies that its streaming began with: refusals of earlier ones say nothing.
    var since: UInt64 = 0
    /// Which of the jobs that bring it in step is the newest.
    var job: UInt64 = 0
    /// Whether it was reported as in step.
    var isReported = false

    var isInStep: Bool { state == .streaming && matched > 0 }
}

/// Asked of the array and not of its shard: a method of the shard copies the whole of it out of its table, and these
/// are on the way of every change.
extension [ShardMember] {
    /// The place of the member that is this peer.
    func place(of peer: Int) -> Int? { firstIndex { $0.peer == peer } }

    /// The highest change that so many replicas have durably, the owner with its `own` among them; 1 or 2.
    func durable(on needed: Int, own: UInt64) -> UInt64 {
        guard needed > 1 else { return own }
        var first = own
        var second: UInt64 = 0
        for member in self where member.isReplica {
            if member.matched > first {
                second = first
                first = member.matched
            } else if member.matched > second {
                second = member.matched
            }
        }
        return second
    }

    /// The highest change that everybody who gets copies has durably.
    func durableOnAll(own: UInt64) -> UInt64 {
        reduce(own) { lowest, member in
            guard member.isReplica || member.isLearner else { return lowest }
            return Swift.min(lowest, member.state == .streaming ? member.matched : 0)
        }
    }
}
