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

    /// Longest time for handing over, in milliseconds.
    private static let handOverMilliseconds: Int32 = 16_000
    /// Longest time for handing over everything for good, in milliseconds.
    private static let leaveMilliseconds: Int32 = 55_000

    let loop: CoreLoop
    let store: Store
    let apns: APNsService
    private let context: MessagingContext
    let authenticator: Authenticator?
    private let log: Logger
    /// Where producers connect, with the port that was chosen.
    public let endpoint: String

    private init(
        loop: CoreLoop, store: Store, apns: APNsService, context: MessagingContext, authenticator: Authenticator?,
        log: Logger, endpoint: String
    ) {
        self.loop = loop
        self.store = store
        self.apns = apns
        self.context = context
        self.authenticator = authenticator
        self.log = log
        self.endpoint = endpoint
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
        let door = try Door(settings, node)
        var effects: [NodeEffect] = []
        let core = try door.closingOnFault { () throws(Fault) in
            try recover(store, settings, node, producers: door.endpoint, log: log, into: &effects)
        }
        let record = core.record
        let mesh = try door.closingOnFault { () throws(Fault) in
            guard let record else { throw Fault(.noRandomness) }
            return try door.openMesh(node, record)
        }
        let (endpoint, context, authenticator) = (door.endpoint, door.context, door.authenticator)
        let thread = LoopThread(name: "core")
        let mailboxes = CoreLoop.Mailboxes(
            commits: Mailbox(capacity: 1 << 20, wakeup: thread.wakeup),
            reports: Mailbox(capacity: 1 << 20, wakeup: thread.wakeup))
        let loop = CoreLoop(
            CoreLoop.Parts(
                thread: thread, settings: settings, nodeName: name, log: log.with("core"), port: door.port, mesh: mesh,
                allowList: door.allowList, store: store, apns: apns, schemas: schemas,
                core: core, effects: effects, mailboxes: mailboxes))
        store.start { batch, failure in mailboxes.commits.post(.transaction(upTo: batch, failure: failure)) }
        apns.start { reports in mailboxes.reports.post(reports) }
        loop.start()
        log.notice(
            "node started",
            [
                "node": .string(name), "endpoint": .string(endpoint), "control": .string(node.control),
                "data": .string(node.data), "version": .string(version),
            ])
        return CarillonNode(
            loop: loop, store: store, apns: apns, context: context, authenticator: authenticator, log: log,
            endpoint: endpoint)
    }

    /// Reads every stored row into a new core; what is served of it is known when the shards are this node's again.
    private static func recover(
        _ store: Store, _ settings: Settings, _ node: NodeSettings, producers: String, log: Logger,
        into effects: inout [NodeEffect]
    ) throws(Fault) -> NodeCore {
        var generator = SystemRandomNumberGenerator()
        var core = NodeCore(
            settings: NodeCoreSettings(settings, node),
            description: NodeDescription(node, producers: producers), random: generator.next())
        func note(_ fault: Fault) {
            log.error("row left out", stage: .replicate, ["code": .string(fault.code.id), "error": .text(fault)])
        }
        try store.load { kind, key, value in
            if let fault = core.restore(kind: kind, key: key, value: value) { note(fault) }
        }
        let now = Moment(wallMilliseconds: Clock.wallMilliseconds(), bootMilliseconds: Clock.bootMilliseconds())
        let random = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for fault in core.finishRestore(randomBytes: random, now: now, into: &effects) { note(fault) }
        return core
    }

    /// What was found on disk of the shards that the node serves since its start; nil until there are some.
    public func recovery() -> RecoveryReport? {
        let found = Lock<RecoveryReport?>(nil)
        waitFor { [loop] in
            let report = await loop.recovery
            found.withLock { $0 = report }
        }
        return found.withLock { $0 }
    }

    /// Reads the allow-list again now instead of within a second; for SIGHUP.
    public func reloadCertificates() {
        authenticator?.reloadSoon()
    }

    /// Lets other nodes take over what this one owns; returns when they have, or nobody can.
    private func handOver(isFinal: Bool) {
        waitFor { [loop] in await loop.handOver(isFinal: isFinal) }
        let poller = Poller()
        poller.add(loop.handedOver.descriptor, tag: 0)
        // The core gives up earlier; this is for a core thread that is stuck.
        poller.wait(milliseconds: isFinal ? Self.leaveMilliseconds : Self.handOverMilliseconds) { _ in }
    }

    /// Lame duck: hands over what it owns while everything goes on, then refuses new events, lets requests in flight
    /// end for up to `milliseconds`, stores what became of them, closes. Everything acknowledged and not yet sent is
    /// sent after the next start. `isFinal`: the node leaves the cluster for good: others get its copies before it
    /// ends.
    public func stop(withinMilliseconds milliseconds: Int64 = 10_000, isFinal: Bool = false) {
        log.notice(isFinal ? "node leaves the cluster" : "node stops")
        handOver(isFinal: isFinal)
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
