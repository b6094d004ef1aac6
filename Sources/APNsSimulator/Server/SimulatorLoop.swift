internal import CLinux
internal import Codes
internal import HTTP2
internal import Loops
internal import SimulatedAPNs

/// What the loop thread owns: ports, connections, the simulated world and the control clients.
actor SimulatorLoop {
    private let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private let stopping = Lock(false)
    nonisolated let sendPort: UInt16
    nonisolated let managePort: UInt16

    let poller = Poller()
    private let sendListener: HTTP2.Listener
    private let manageListener: HTTP2.Listener
    let context: TLSServerContext
    var connections: [UInt64: Connection] = [:]
    var lastConnection: UInt64 = 0
    /// Connections with something to flush this turn.
    var touched: Set<UInt64> = []
    var events: [ServerEvent] = []
    var effects: [Effect] = []

    var world: SimulatedAPNs
    var verifier: TokenVerifier
    let certificates: CertificateVerifier
    let credentials: SimulatorCredentials
    /// As the settings said.
    let initialRules: Rules
    var answers = AnswerQueue()
    var answerDelayMilliseconds: Int64
    var control: ControlServer?
    /// Something happened for which a waiting control client may have waited.
    var isChanged = false
    /// Listeners that wait for free descriptors.
    var pausedListeners: Set<ListenerKind> = []
    private var nextSweep: Int64 = 0

    /// How often connections are looked at for time-outs.
    private static let sweepMilliseconds: Int64 = 50
    /// The same while a control client waits for something.
    private static let waitingSweepMilliseconds: Int64 = 10

    private var sweepInterval: Int64 {
        control?.hasWaits == true ? Self.waitingSweepMilliseconds : Self.sweepMilliseconds
    }

    init(_ settings: SimulatorSettings, thread: LoopThread) throws(Fault) {
        self.thread = thread
        let credentials = SimulatorCredentials(directory: settings.credentialsDirectory, keyID: settings.keyID)
        try credentials.prepare(serverNames: settings.serverNames)
        self.credentials = credentials
        certificates = try CertificateVerifier(authorityPEM: readFile(credentials.authorityPath))
        initialRules = settings.rules
        let ownKey = SimulatorKey(
            ProviderKey(id: settings.keyID, teamID: settings.teamID),
            publicKeyPEM: try SimulatorCredentials.publicKeyPEM(ofPrivate: readFile(credentials.providerKeyPath)))
        verifier = try TokenVerifier([ownKey] + settings.keys)
        context = try TLSServerContext(
            TLSServerSettings(
                credentials: credentials.server, requestsClientCertificate: true, acceptsMissingALPN: true))
        var world = SimulatedAPNs(
            rules: settings.rules, apps: settings.apps, keys: ([ownKey] + settings.keys).map(\.key),
            schemas: settings.schemas, seed: settings.seed)
        for group in settings.devices { try Self.populate(&world, group) }
        self.world = world
        answerDelayMilliseconds = settings.answerDelayMilliseconds
        sendListener = try HTTP2.Listener(host: settings.host, port: settings.sendPort)
        manageListener = try HTTP2.Listener(host: settings.host, port: settings.managePort)
        sendPort = sendListener.port
        managePort = manageListener.port
        control = try settings.controlPath.map { path throws(Fault) in try ControlServer(path: path) }
    }

    private static func populate(_ world: inout SimulatedAPNs, _ group: DeviceGroup) throws(Fault) {
        let now = Clock.wallMilliseconds()
        do throws(PopulationFault) {
            let offline = try world.addDevices(min(group.offline, group.count), online: false)
            let online = try world.addDevices(group.count - offline.count)
            let devices = offline.lowerBound..<online.upperBound
            switch group.way {
            case .newChannels:
                try world.followNewChannels(of: group.bundleID, devices: devices, schema: group.schema)
            case .tokens:
                for device in devices {
                    _ = try world.addActivityToken(
                        bundleID: group.bundleID, device: device, schema: group.schema, nowMilliseconds: now)
                }
            }
        } catch { throw fault(error, "devices of \(group.bundleID)") }
    }

    /// Ends `run` soon; from any thread.
    nonisolated func requestStop() {
        stopping.withLock { $0 = true }
        thread.wakeup.signal()
    }

    // MARK: - The loop

    /// Serves until `requestStop`; on the loop thread.
    func run() {
        poller.add(sendListener.descriptor, tag: Tag.sendListener)
        poller.add(manageListener.descriptor, tag: Tag.manageListener)
        poller.add(thread.wakeup.descriptor, tag: Tag.wakeup)
        if let control { poller.add(control.descriptor, tag: Tag.controlListener) }
        var ready: [Poller.Readiness] = []
        while !stopping.withLock({ $0 }) {
            ready.removeAll(keepingCapacity: true)
            poller.wait(milliseconds: waitMilliseconds()) { ready.append($0) }
            for readiness in ready { serve(readiness) }
            turn()
        }
        leave()
    }

    private func serve(_ readiness: Poller.Readiness) {
        switch readiness.tag {
        case Tag.sendListener: accept(from: sendListener, .send)
        case Tag.manageListener: accept(from: manageListener, .manage)
        case Tag.wakeup:
            thread.wakeup.clear()
            thread.runJobs()
        case Tag.controlListener: acceptControlClients()
        case let tag where Tag.isControl(tag): serveControl(Tag.number(tag))
        default: serveConnection(Tag.number(readiness.tag), readiness)
        }
    }

    /// What is due, once per turn.
    private func turn() {
        let boot = Clock.bootMilliseconds()
        while let waiting = answers.next(dueBy: boot) { release(waiting.item) }
        if let due = world.nextArrivalMilliseconds, due <= Clock.wallMilliseconds() {
            world.advance(toMilliseconds: Clock.wallMilliseconds(), into: &effects)
            isChanged = true
        }
        if boot >= nextSweep {
            nextSweep = boot + sweepInterval
            sweep(boot)
        }
        carryOut()
        flush()
    }

    /// How long nothing will be due.
    private func waitMilliseconds() -> Int32 {
        var wait: Int64 = connections.isEmpty && control?.hasWaits != true ? 1000 : sweepInterval
        if let due = answers.nextDue { wait = min(wait, due - Clock.bootMilliseconds()) }
        if let due = world.nextArrivalMilliseconds { wait = min(wait, due - Clock.wallMilliseconds()) }
        return Int32(max(0, wait))
    }

    /// Time-outs, owed GOAWAYs, idle connections, waiting control clients.
    private func sweep(_ boot: Int64) {
        world.advance(toMilliseconds: Clock.wallMilliseconds(), into: &effects)
        for number in world.connectionsOwingGoAway where connections[number].map({ $0.owesSince <= boot }) ?? false {
            world.flushGoAway(connection: number, into: &effects)
        }
        sweepConnections(boot)
        if pausedListeners.remove(.send) != nil { poller.add(sendListener.descriptor, tag: Tag.sendListener) }
        if pausedListeners.remove(.manage) != nil { poller.add(manageListener.descriptor, tag: Tag.manageListener) }
        settleWaits(boot)
    }

    private func leave() {
        world.shutDown(into: &effects)
        carryOut()
        flush()
        for connection in connections.values { connection.http.close(into: &events) }
        connections.removeAll()
        control?.close()
    }
}

/// What a poller's tag stands for.
enum Tag {
    static let sendListener: UInt64 = 1
    static let manageListener: UInt64 = 2
    static let wakeup: UInt64 = 3
    static let controlListener: UInt64 = 4
    private static let controlBit: UInt64 = 1 << 63
    private static let connectionBit: UInt64 = 1 << 62

    static func connection(_ number: UInt64) -> UInt64 { number | connectionBit }
    static func control(_ number: UInt64) -> UInt64 { number | controlBit }
    static func isControl(_ tag: UInt64) -> Bool { tag & controlBit != 0 }
    static func number(_ tag: UInt64) -> UInt64 { tag & ~(controlBit | connectionBit) }
}

/// The same trouble in the words of a person.
func fault(_ error: PopulationFault, _ place: String) -> Fault {
    switch error {
    case .unknownApp: Fault(.simulatorUnknown, "no such app", at: place)
    case .unknownChannel: Fault(.simulatorUnknown, "no such channel", at: place)
    case .unknownSchema: Fault(.simulatorUnknown, "no such schema", at: place)
    case .unknownDevice: Fault(.simulatorUnknown, "no such device", at: place)
    case .unknownToken: Fault(.simulatorUnknown, "no such token", at: place)
    case .full: Fault(.simulatorFull, at: place)
    }
}
