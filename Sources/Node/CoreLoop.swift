internal import APNs
internal import Cluster
internal import Codes
internal import Configuration
internal import Delivery
internal import LiveActivity
internal import Loops
internal import Messaging
internal import Storage
internal import Telemetry
internal import Wire

/// The thread that owns every ZeroMQ socket and `NodeCore`. It takes messages, commits and reports in turns, and never
/// waits for anything but the next of them. What it does in a turn stands in Pipeline.swift.
actor CoreLoop {
    /// What the loop is doing.
    enum Phase {
        case running
        /// What the node owns is handed to others; events are taken all the while.
        case handing
        /// New events are refused; what is under way goes on.
        case draining
        /// Only what was handed to the disk is awaited.
        case finishing
        case stopped

        /// Whether new events are taken.
        var takesEvents: Bool { self == .running || self == .handing }
    }

    /// What other threads need to hand things in.
    struct Mailboxes: Sendable {
        let commits: Mailbox<Commit>
        let reports: Mailbox<[LaneReport]>
    }

    nonisolated let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    let settings: Settings
    let nodeName: String
    let log: Logger
    let port: ProducerPort
    /// Nil in a cluster of one.
    let mesh: MeshPort?
    let allowList: AllowList?
    let store: Store
    let apns: APNsService
    let access: AccessControl
    let schemas: AppSchemas
    private let apps: [[UInt8]: UInt16]
    private let poll = SocketPoll()
    private let woken: SocketPoll.Place
    private let produced: SocketPoll.Place
    private let meshed: (control: SocketPoll.Place, data: SocketPoll.Place)?

    let commits: Mailbox<Commit>
    let reports: Mailbox<[LaneReport]>
    let channelAnswers: Mailbox<ChannelResult>

    var core: NodeCore
    var sessions: SessionTable
    var requests = RequestTable()
    var forwards = ForwardTable()
    var joints = JointTable()
    var receiptRoutes = ReceiptRoutes()
    var outbox = MeshOutbox()
    var peers: MeshPeers
    var pingTimes = PingTimes()
    var meshSweepAt: Int64 = 0
    var forwardSweepAt: Int64 = 0
    /// The placement by which requests were handed on.
    var forwardPlacement: UInt64 = 0
    var backpressure: Backpressure
    var counters = LoopCounters()
    /// What the core was told last.
    private var reach = Reach.idle
    var trace = EventTrace()
    var answerNanoseconds = LatencyHistogram()
    var effects: [NodeEffect] = []
    var offers: [LaneOffer] = []
    /// Tickets that the lanes could not be told to forget yet.
    var withdrawn: [UInt64] = []
    /// Everything is handed over, or cannot be.
    nonisolated let handedOver = Wakeup()
    var commitBatch: [Commit] = []
    var reportBatch: [[LaneReport]] = []
    var channelBatch: [ChannelResult] = []
    /// Whether callers are heard.
    var isOpen = false
    var phase = Phase.running
    var lastBatch: UInt64 = 0
    var durableBatch: UInt64 = 0
    /// The store turned a batch away, and the core has not written it again yet.
    var storeIsBehind = false
    /// The newest batch that the store has reported on, durable or not.
    var reportedBatch: UInt64 = 0
    private var finishBy: Int64 = 0
    let startedAtMilliseconds = Clock.wallMilliseconds()
    /// What was found on disk, once this node serves some of it.
    var recovery: RecoveryReport?

    init(_ parts: consuming sending Parts) {
        thread = parts.thread
        settings = parts.settings
        nodeName = parts.nodeName
        log = parts.log
        port = parts.port
        mesh = parts.mesh
        peers = MeshPeers(
            seeds: Dictionary(
                parts.core.settings.seeds.map { ($0.name, $0.control) }, uniquingKeysWith: { first, _ in first }))
        allowList = parts.allowList
        store = parts.store
        apns = parts.apns
        schemas = parts.schemas
        effects = parts.effects
        commits = parts.mailboxes.commits
        reports = parts.mailboxes.reports
        channelAnswers = Mailbox(capacity: 65_536, wakeup: parts.thread.wakeup)
        access = AccessControl(parts.settings)
        backpressure = Backpressure(
            waitingMax: parts.core.owner.settings.pendingRepliesMax, fullCredit: parts.settings.limits.credit)
        sessions = SessionTable(capacity: parts.settings.limits.producers)
        apps = Dictionary(
            uniqueKeysWithValues: parts.settings.apps.enumerated().map { (Array($1.name.utf8), UInt16($0)) })
        woken = poll.add(parts.thread.wakeup)
        produced = poll.add(parts.port.socket)
        meshed = parts.mesh?.add(to: poll)
        core = parts.core
    }

    /// What a core loop is made of.
    struct Parts: ~Copyable {
        let thread: LoopThread
        let settings: Settings
        let nodeName: String
        let log: Logger
        let port: ProducerPort
        let mesh: MeshPort?
        let allowList: AllowList?
        let store: Store
        let apns: APNsService
        let schemas: AppSchemas
        let core: NodeCore
        let effects: [NodeEffect]
        let mailboxes: Mailboxes
    }

    /// Runs until the loop is stopped; on the thread.
    nonisolated func start() {
        thread.start { [self] in
            assumeIsolated { loop in
                loop.run()
            }
        }
    }

    private func run() {
        while phase != .stopped {
            turn()
            thread.runJobs()
            if phase == .finishing { finishIfDone() }
        }
        port.close()
        mesh?.close()
    }

    /// Sleeps until something may be done.
    func wait() {
        poll.wait(milliseconds: sleepMilliseconds(now: moment()))
        if poll.isReadable(woken) { thread.wakeup.clear() }
    }

    /// Where the last wait found messages; nothing else is asked, since each question is a call of the kernel.
    var producersWait: Bool { poll.isReadable(produced) }
    var controlWaits: Bool { meshed.map { poll.isReadable($0.control) } ?? false }
    var dataWaits: Bool { meshed.map { poll.isReadable($0.data) } ?? false }

    nonisolated func moment() -> Moment {
        Moment(wallMilliseconds: Clock.wallMilliseconds(), bootMilliseconds: Clock.bootMilliseconds())
    }

    /// Index of an app by its name's bytes.
    func appIndex(_ name: ArraySlice<UInt8>) -> UInt16? {
        if apps.count == 1, let only = apps.first { return only.key.elementsEqual(name) ? only.value : nil }
        return apps[Array(name)]
    }

    /// Tells the core when the way to APNs is lost or found again. Turns are never far apart: leases are renewed.
    func watchReach(now: Moment) {
        let current = apns.reach
        guard current != reach else { return }
        reach = current
        core.handle(.reach(current), now: now, into: &effects)
    }

    // MARK: From other threads

    /// Tells producers where else to go and hands over what the node owns; `handedOver` says when that is done, or
    /// cannot be. New events are taken all the while, and find their new owners. `isFinal`: the node leaves for good.
    func handOver(isFinal: Bool) {
        guard phase == .running else { return }
        phase = .handing
        let others = core.state.present.map(\.member).filter { $0.id != core.record?.id && !$0.producers.isEmpty }
        let goAway = GoAway(
            reason: "the node stops", endpoints: others.prefix(16).map(\.producers), afterMilliseconds: 1000)
        for serial in sessions.serials {
            guard let session = sessions[serial] else { continue }
            answer(.goAway(goAway), to: session.identity)
        }
        core.handle(.drain(isFinal: isFinal), now: moment(), into: &effects)
    }

    /// Refuses new events.
    func drain() {
        if phase.takesEvents { phase = .draining }
    }

    /// Ends the loop once everything handed to the disk is durable, or after `milliseconds`.
    func finish(withinMilliseconds milliseconds: Int64) {
        drain()
        phase = .finishing
        finishBy = Clock.bootMilliseconds() + milliseconds
    }

    private func finishIfDone() {
        if durableBatch >= lastBatch || Clock.bootMilliseconds() >= finishBy { phase = .stopped }
    }
}

/// What the loop itself counts; the core counts the rest.
struct LoopCounters {
    var messages: UInt64 = 0
    var undecodable: UInt64 = 0
    var batches: UInt64 = 0
    var refused: UInt64 = 0
    var overCredit: UInt64 = 0
    var revoked: UInt64 = 0
    var receipts: UInt64 = 0
    var receiptsDropped: UInt64 = 0
    var storeFull: UInt64 = 0
    var dispatchFull: UInt64 = 0
    var creditChanges: UInt64 = 0
    /// Requests handed on to other nodes.
    var forwards: UInt64 = 0
    /// Requests that other nodes have handed on.
    var forwardsTaken: UInt64 = 0
    /// Requests handed on and given up.
    var forwardsUnanswered: UInt64 = 0
    /// Requests that could not be sent to their node.
    var forwardsUnsent: UInt64 = 0
    /// Answers after that.
    var forwardsLate: UInt64 = 0
    /// Requests and answers meant for an earlier run.
    var forwardsMisaddressed: UInt64 = 0
    /// Mesh messages that could not be read.
    var meshUndecodable: UInt64 = 0
    /// Mesh messages that named another sender than their certificate.
    var impostors: UInt64 = 0
    /// Control messages that could not be sent.
    var controlUnsent: UInt64 = 0
    /// Messages for a member whose name another one has by now.
    var namesakes: UInt64 = 0
    /// Withdrawals that a sending loop could not be told at once.
    var withdrawalsRepeated: UInt64 = 0
}
