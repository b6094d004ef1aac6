internal import Cluster
internal import Delivery
internal import Wire

/// What lies in the mailbox of a node's core thread.
enum CoreMail: Sendable {
    /// For the core itself.
    case input(NodeInput)
    /// A producer's request that came in here.
    case client(UInt64)
    /// A request that another node handed on, and how often it was handed on.
    case forward(UInt64, hops: UInt8)
    /// The answer to a request that was handed on from here.
    case forwarded(UInt64, ClientAnswer)
}

/// One machine: its core, store and sending threads with the mailboxes between them, its disk and its clocks. A class,
/// because copies of it would be dear; it belongs to one world.
final class SimulatedNode {
    let index: Int
    /// Counts the starts; what belongs to an earlier one finds nobody.
    var run = 0
    var isUp = false
    var core: NodeCore
    var loop: SendingLoop
    var disk = SimulatedDisk()
    var clock: SimulatedClock
    var inbox: [CoreMail] = []
    var mail: [SendingMail] = []
    /// When the next turn of each thread is planned.
    var turnAt = Int64.max
    var loopAt = Int64.max
    /// The thread stands still before; it hears everything afterwards.
    var coreStillUntil: Int64 = 0
    var loopStillUntil: Int64 = 0
    /// All threads stand still before.
    var frozenUntil: Int64 = 0
    /// The disk is slow before.
    var diskSlowUntil: Int64 = 0
    /// The disk fails before.
    var diskFailsUntil: Int64 = 0
    /// When the disk was last lost for good, and the newest events that it held.
    var lostAt = Int64.min / 2
    var lostEvents: [Int: EventMark] = [:]
    /// APNs' numbers of this run's connections, by the pool's.
    var connections: [UInt64: UInt64] = [:]
    /// What the core was told last of whether APNs is in reach.
    var reach = Reach.idle
    /// The connection for managing channels.
    var managing: UInt64 = 0
    var managed: Int32 = 1
    /// What the core said last about its lease, in milliseconds since boot, and when it said so in the world's time.
    var leaseUntil = Int64.min
    var leaseSaidAt: Int64 = 0
    /// It was told to leave for good.
    var leaves = false
    /// When this run began.
    var startedAt: Int64 = 0
    /// When the sending loop last looked into its mailbox, and when it had done so before it chose the first of what it
    /// is about to write.
    var mailReadAt = Int64.min
    var mailReadBeforeChoice = Int64.min
    /// When it chose the first of what it is about to write.
    var choseAt: Int64 = 0

    init(index: Int, core: consuming NodeCore, loop: SendingLoop, clock: SimulatedClock) {
        self.index = index
        self.core = core
        self.loop = loop
        self.clock = clock
    }

    /// The moment that this node's clocks show.
    func now(_ time: Int64) -> Moment { clock.moment(at: time) }
}
