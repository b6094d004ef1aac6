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
        /// New events are refused; what is under way goes on.
        case draining
        /// Only what was handed to the disk is awaited.
        case finishing
        case stopped
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
    let allowList: AllowList?
    let store: Store
    let apns: APNsService
    let access: AccessControl
    let schemas: AppSchemas
    private let apps: [[UInt8]: UInt16]
    private let poll = SocketPoll()
    private let woken: SocketPoll.Place

    let commits: Mailbox<Commit>
    let reports: Mailbox<[LaneReport]>
    let channelAnswers: Mailbox<ChannelResult>

    var core: NodeCore
    var sessions: SessionTable
    var requests = RequestTable()
    var backpressure: Backpressure
    var counters = LoopCounters()
    var trace = EventTrace()
    var answerNanoseconds = LatencyHistogram()
    var effects: [NodeEffect] = []
    var offers: [LaneOffer] = []
    var commitBatch: [Commit] = []
    var reportBatch: [[LaneReport]] = []
    var channelBatch: [ChannelResult] = []
    var moreWaits = false
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

    init(_ parts: sending Parts) {
        thread = parts.thread
        settings = parts.settings
        nodeName = parts.nodeName
        log = parts.log
        port = parts.port
        allowList = parts.allowList
        store = parts.store
        apns = parts.apns
        schemas = parts.schemas
        core = parts.core
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
        _ = poll.add(parts.port.socket)
    }

    /// What a core loop is made of.
    struct Parts {
        let thread: LoopThread
        let settings: Settings
        let nodeName: String
        let log: Logger
        let port: ProducerPort
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
    }

    /// Sleeps until something may be done.
    func wait() {
        poll.wait(milliseconds: sleepMilliseconds(now: moment()))
        if poll.isReadable(woken) { thread.wakeup.clear() }
    }

    nonisolated func moment() -> Moment {
        Moment(wallMilliseconds: Clock.wallMilliseconds(), bootMilliseconds: Clock.bootMilliseconds())
    }

    /// Index of an app by its name's bytes.
    func appIndex(_ name: ArraySlice<UInt8>) -> UInt16? {
        if apps.count == 1, let only = apps.first { return only.key.elementsEqual(name) ? only.value : nil }
        return apps[Array(name)]
    }

    // MARK: From other threads

    /// Refuses new events and tells producers to go elsewhere.
    func drain() {
        guard phase == .running else { return }
        phase = .draining
        for serial in sessions.serials {
            guard let session = sessions[serial] else { continue }
            answer(.goAway(GoAway(reason: "the node stops", afterMilliseconds: 1000)), to: session.identity)
        }
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
}
