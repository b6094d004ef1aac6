internal import APNsSimulator
internal import CLinux
internal import CarillonClient
internal import Codes
internal import Configuration
internal import LocalCluster
internal import Terminal

/// The cluster that the demo is shown on: its own, or one that runs already.
final class DemoCluster {
    private enum Home {
        /// Child processes with fresh keys.
        case own(LocalCluster)
        /// Somebody else's processes; `orders` is where wishes to kill and start nodes are written.
        case existing(Program, Settings, orders: String?)
    }

    private let home: Home
    /// Names of the nodes.
    let nodes: [String]
    /// The app that is published for.
    let app: String
    /// Its bundle ID.
    let bundleID: String

    /// A cluster of its own; nothing runs yet.
    init(program: String, nodes count: Int) throws(Fault) {
        var options = LocalCluster.Options(program: program)
        options.nodes = count
        options.schemas = MatchPayload.schemas
        let cluster = try LocalCluster(options)
        home = .own(cluster)
        nodes = cluster.nodes.map(\.name)
        (app, bundleID) = (LocalCluster.app, LocalCluster.bundleID)
    }

    /// The running cluster of the configuration, whose simulator must know `MatchPayload.schemas`.
    init(_ program: Program, orders: String?) throws(Fault) {
        let settings = try program.settings()
        guard let app = settings.apps.first(where: { $0.environment == .simulator }) else {
            throw Fault(.danglingName, "no [app.NAME] is delivered to the simulator", at: settings.file)
        }
        home = .existing(program, settings, orders: orders)
        nodes = settings.nodes.map(\.name)
        (self.app, bundleID) = (app.name, app.bundleID)
    }

    /// What is said when the demo begins.
    var opening: String {
        switch home {
        case .own:
            nodes.count == 1
                ? "Starting an APNs simulator and node \(nodes[0]) with fresh keys …"
                : "Starting an APNs simulator and \(nodes.count) nodes with fresh keys …"
        case .existing(_, let settings, _): "Playing on the \(nodes.count) nodes of \(settings.file) …"
        }
    }

    /// Whether nodes can be killed and started.
    var canKill: Bool {
        switch home {
        case .own: nodes.count > 1
        case .existing(_, _, let orders): orders != nil && nodes.count > 1
        }
    }

    /// Starts what is not running, and connects to the simulator.
    func open() throws(Fault) -> SimulatorControl {
        switch home {
        case .own(let cluster):
            let control = try cluster.startSimulator()
            try cluster.startNodes()
            return control
        case .existing(_, let settings, _):
            return try SimulatorControl(path: settings.simulator.controlSocket, waitMilliseconds: 10_000)
        }
    }

    /// Ends what was started; removes the directory of an own cluster unless it is to be kept.
    func close(keep: Bool, _ screen: Screen) {
        guard case .own(let cluster) = home else { return }
        cluster.stop()
        if keep { screen.note("Kept: \(cluster.directory)") } else { cluster.remove() }
    }

    // MARK: Clients

    /// A producer's connection to all nodes.
    func producer() throws(Fault) -> CarillonClient.ProducerSettings {
        switch home {
        case .own(let cluster): return try cluster.clientSettings()
        case .existing(let program, let settings, _):
            return try program.connection(settings, Reach(), settings.nodes)
        }
    }

    /// An admin's connection to each node.
    func circle() throws(Fault) -> NodeCircle {
        var members: [NodeCircle.Member] = []
        for name in nodes { members.append((name, try admin(name))) }
        return NodeCircle(members)
    }

    /// A node that is dead must not hold up what the others have to say.
    private func admin(_ name: String) throws(Fault) -> CarillonClient.ProducerSettings {
        var connection: CarillonClient.ProducerSettings
        switch home {
        case .own(let cluster): connection = try cluster.clientSettings(admin: true, nodes: [name])
        case .existing(let program, let settings, _):
            connection = try program.connection(settings, Reach(), settings.nodes.filter { $0.name == name })
        }
        connection.answerMilliseconds = 1000
        return connection
    }

    // MARK: Losses

    /// Ends a node with SIGKILL, or has it done.
    func kill(_ name: String) throws(Fault) {
        switch home {
        case .own(let cluster): cluster.killNode(name)
        case .existing(_, _, let orders): try order("kill \(name)", orders)
        }
    }

    /// Starts a node again, or has it done.
    func start(_ name: String) throws(Fault) {
        switch home {
        case .own(let cluster): try cluster.startNode(name)
        case .existing(_, _, let orders): try order("start \(name)", orders)
        }
    }

    private func order(_ line: String, _ path: String?) throws(Fault) {
        guard let path else { return }
        let file = crl_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Fault(.outputUnwritable, String(cString: strerror(crl_errno())), at: path) }
        defer { CLinux.close(file) }
        guard Descriptor.writeAll(file, line + "\n") else { throw Fault(.outputUnwritable, at: path) }
    }
}
