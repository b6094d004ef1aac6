internal import APNs
internal import CLinux
internal import Cluster
public import Codes
public import Configuration
internal import Delivery
internal import Loops
internal import Messaging
internal import Storage
public import Telemetry

/// A running node: the threads core, store, apns-0… and their order of starting and stopping.
///
/// Threads: `start`, `stop` and the destructor from one thread that is none of the node's.
public final class CarillonNode: Sendable {
    /// Version of the software.
    public static let version = "0.1.0"

    private let loop: CoreLoop
    private let store: Store
    private let apns: APNsService
    private let context: MessagingContext
    private let authenticator: Authenticator?
    private let log: Logger
    /// Where producers connect, with the port that was chosen.
    public let endpoint: String
    /// What was found on disk at the start.
    public let recovery: RecoveryReport

    private init(
        loop: CoreLoop, store: Store, apns: APNsService, context: MessagingContext, authenticator: Authenticator?,
        log: Logger, endpoint: String, recovery: RecoveryReport
    ) {
        self.loop = loop
        self.store = store
        self.apns = apns
        self.context = context
        self.authenticator = authenticator
        self.log = log
        self.endpoint = endpoint
        self.recovery = recovery
    }

    /// Starts the node `name` of the configuration: recovers what is on disk, connects to APNs, opens the port. Nothing
    /// runs when it throws.
    public static func start(_ settings: Settings, name: String, log: Logger) throws(Fault) -> CarillonNode {
        guard let node = settings.node(name) else {
            let known = settings.nodes.map(\.name).joined(separator: ", ")
            throw Fault(.unknownNode, "no section [node.\(name)]; there are: \(known)", at: settings.file)
        }
        if settings.cluster.insecure {
            log.warning(
                "insecure = true: anyone who reaches the port may publish", ["endpoint": .string(node.producers)])
        }
        let schemas = try AppSchemas(settings)
        let apns = try APNsService(settings: APNsSettings(settings)) { notice in log.note(notice, settings) }
        let store = try Store.open(directory: node.dataDirectory, settings: StoreSettings(settings))
        let (core, recovery) = try recover(store, settings, log: log)
        let door = try Door(settings, node)
        let (endpoint, context, authenticator) = (door.endpoint, door.context, door.authenticator)
        let thread = LoopThread(name: "core")
        let mailboxes = CoreLoop.Mailboxes(
            commits: Mailbox(capacity: 1 << 20, wakeup: thread.wakeup),
            reports: Mailbox(capacity: 1 << 20, wakeup: thread.wakeup))
        let loop = CoreLoop(
            CoreLoop.Parts(
                thread: thread, settings: settings, nodeName: name, log: log.with("core"), port: door.port,
                allowList: door.allowList, store: store, apns: apns, schemas: schemas,
                core: core, mailboxes: mailboxes))
        store.start { batch, failure in mailboxes.commits.post(.transaction(upTo: batch, failure: failure)) }
        apns.start { reports in mailboxes.reports.post(reports) }
        loop.start()
        log.notice(
            "node started", ["node": .string(name), "endpoint": .string(endpoint), "version": .string(version)])
        return CarillonNode(
            loop: loop, store: store, apns: apns, context: context, authenticator: authenticator, log: log,
            endpoint: endpoint, recovery: recovery)
    }

    /// Reads every stored row into a new core and says in the log what was found.
    private static func recover(
        _ store: Store, _ settings: Settings, log: Logger
    ) throws(Fault) -> (LoneCore, RecoveryReport) {
        let began = Clock.monotonicNanoseconds()
        var core = LoneCore(settings: CoreSettings(settings), admission: AdmissionSettings(settings))
        try store.load { kind, key, value in
            if let fault = core.restore(kind: kind, key: key, value: value) {
                log.error("row left out", stage: .replicate, ["code": .string(fault.code.id), "error": .text(fault)])
            }
        }
        let now = Moment(wallMilliseconds: Clock.wallMilliseconds(), bootMilliseconds: Clock.bootMilliseconds())
        var effects: [NodeEffect] = []
        let summary = core.finishRestore(now: now, into: &effects)
        for case .notice(.rowLeftOut(let shard, let fault)) in effects {
            log.error(
                "row left out", stage: .replicate,
                ["shard": .count(shard), "code": .string(fault.code.id), "error": .text(fault)])
        }
        let report = RecoveryReport(summary, milliseconds: (Clock.monotonicNanoseconds() - began) / 1_000_000)
        log.notice("recovered", stage: .replicate, report.fields)
        return (core, report)
    }

    /// Reads the allow-list again now instead of within a second; for SIGHUP.
    public func reloadCertificates() {
        authenticator?.reloadSoon()
    }

    /// Lame duck: refuses new events, lets requests in flight end for up to `milliseconds`, stores what became of them,
    /// closes. Everything acknowledged and not yet sent is sent after the next start.
    public func stop(withinMilliseconds milliseconds: Int64 = 10_000) {
        log.notice("node stops")
        waitFor { [loop] in await loop.drain() }
        apns.stop(deadlineMilliseconds: milliseconds)
        waitFor { [loop] in await loop.finish(withinMilliseconds: 5000) }
        loop.thread.join()
        store.stop()
        authenticator?.stop()
        log.notice("node stopped")
    }
}

/// Runs an async piece of control plane from a plain thread and waits for it.
private func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let done = Wakeup()
    Task.detached {
        await body()
        done.signal()
    }
    let poller = Poller()
    poller.add(done.descriptor, tag: 0)
    poller.wait(milliseconds: -1) { _ in }
}
