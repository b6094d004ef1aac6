public import APNsSimulator
internal import CLinux
public import CarillonClient
public import Codes
internal import Configuration
public import Loops
internal import Messaging

/// One node and the APNs simulator as child processes on loopback, with fresh keys in a directory of their own: what
/// the demo, the end-to-end tests and the benchmarks run on.
///
/// Children end with their parent. Threads: one owner at a time.
public final class LocalCluster {
    /// What is different from the configuration that `carillon config default` prints.
    public struct Options {
        /// Path of the `carillon` program.
        public var program: String
        /// `CARILLON_SECTION_KEY` variables for all children.
        public var variables: [String: String] = [:]
        /// The text of a schema file for the simulator's devices.
        public var schemas: String?
        /// Run without certificates.
        public var insecure = false

        /// Options for a program.
        public init(program: String) { self.program = program }
    }

    /// Name of the node.
    public static let node = "n1"
    /// Name of the app.
    public static let app = "cricket"
    /// Bundle ID of the app.
    public static let bundleID = "com.example.cricket"

    /// Where everything lies: configuration, keys, data, logs.
    public let directory: String
    /// Where producers connect.
    public let endpoint: String
    /// The simulator's port for device pushes and broadcasts.
    public let sendPort: UInt16
    /// The simulator's port for channel management.
    public let managePort: UInt16
    private let options: Options
    private let environment: [String]
    private var simulator: ChildProcess?
    private var running: ChildProcess?

    /// Makes directory, configuration and keys; nothing runs yet.
    public init(_ options: Options) throws(Fault) {
        self.options = options
        directory = try TemporaryDirectory.make()
        let ports = try FreePorts.choose(3)
        (sendPort, managePort) = (ports[1], ports[2])
        endpoint = "tcp://127.0.0.1:\(ports[0])"
        var variables = options.variables
        variables["CARILLON_NODE_N1_PRODUCERS"] = endpoint
        for section in ["SIMULATOR", "ENVIRONMENT_SIMULATOR"] {
            variables["CARILLON_\(section)_SEND_PORT"] = "\(ports[1])"
            variables["CARILLON_\(section)_MANAGE_PORT"] = "\(ports[2])"
        }
        if options.insecure { variables["CARILLON_CLUSTER_INSECURE"] = "true" }
        environment = variables.map { "\($0.key)=\($0.value)" } + ["PATH=/usr/bin:/bin", "HOME=\(directory)"]
        try TemporaryDirectory.write(Settings.defaultFile, to: configuration)
        try makeKeys()
    }

    deinit { stop() }

    /// Path of the configuration file.
    public var configuration: String { directory + "/cluster.toml" }
    /// The simulator's credentials.
    public var simulatorCredentials: SimulatorCredentials {
        SimulatorCredentials(directory: directory + "/data/simulator", keyID: "SIMKEY0001")
    }
    /// Path of the node's log.
    public var nodeLog: String { directory + "/node.log" }
    /// Path of the simulator's log.
    public var simulatorLog: String { directory + "/simulator.log" }
    /// The node's process, while it was started and not waited for.
    public var nodeProcess: Int32? { running?.processID }
    /// The simulator's process, while it was started.
    public var simulatorProcess: Int32? { simulator?.processID }

    private func makeKeys() throws(Fault) {
        for (role, name) in [(Certificate.Role.node, Self.node), (.producer, "scores"), (.admin, "ops")] {
            let place = keys(role)
            try TemporaryDirectory.makeAll(place)
            try Certificate.generate(name: name, role: role).write(directory: place)
        }
    }

    private func keys(_ role: Certificate.Role) -> String { "\(directory)/data/keys/\(role.rawValue)" }

    // MARK: Processes

    /// Starts the simulator and waits until it can be asked.
    public func startSimulator() throws(Fault) -> SimulatorControl {
        var arguments = ["apns-simulator", "--config", configuration, "--end-with-parent"]
        if let schemas = options.schemas {
            try TemporaryDirectory.write(schemas, to: directory + "/schemas.json")
            arguments += ["--schemas", directory + "/schemas.json"]
        }
        simulator = try start(arguments, log: simulatorLog)
        return try control()
    }

    /// A connection to the running simulator's control socket.
    public func control() throws(Fault) -> SimulatorControl {
        try SimulatorControl(path: directory + "/data/simulator/control.sock", waitMilliseconds: 10_000)
    }

    /// Starts the node; it is ready when a client gets an answer.
    public func startNode() throws(Fault) {
        running = try start(
            ["node", "--config", configuration, "--name", Self.node, "--end-with-parent"], log: nodeLog)
    }

    /// Ends the node with SIGKILL and waits for its end.
    public func killNode() {
        running?.kill(SIGKILL)
        _ = running?.wait()
        running = nil
    }

    /// Ends the node with SIGTERM; how it ended.
    @discardableResult
    public func endNode() -> ChildProcess.Ending? {
        defer { running = nil }
        return running?.end(withinMilliseconds: 20_000)
    }

    /// How the node ended by itself; nil while it runs or when there is none.
    public func nodeEnding() -> ChildProcess.Ending? {
        guard let ending = running?.poll() else { return nil }
        running = nil
        return ending
    }

    /// Ends everything that runs.
    public func stop() {
        endNode()
        _ = simulator?.end(withinMilliseconds: 5000)
        simulator = nil
    }

    /// Removes the directory; call `stop` before.
    public func remove() { TemporaryDirectory.remove(directory) }

    private func start(_ arguments: [String], log: String) throws(Fault) -> ChildProcess {
        do {
            return try ChildProcess(
                program: options.program, arguments: arguments, environment: environment, output: log, errors: log)
        } catch {
            throw Fault(.inputUnreadable, "\(error)", at: options.program)
        }
    }

    // MARK: Clients

    /// Settings of a client with the certificate of `scores`, or of the admin `ops`.
    public func clientSettings(admin: Bool = false) throws(Fault) -> CarillonClient.ProducerSettings {
        guard !options.insecure else { return .init(nodes: [.init(endpoint)]) }
        let server = try Certificate.read(keys(.node) + "/\(Self.node).key", secret: false)
        let own = admin ? keys(.admin) + "/ops.key_secret" : keys(.producer) + "/scores.key_secret"
        return .init(
            nodes: [.init(endpoint, serverKey: server.publicKey)],
            certificate: try Certificate.read(own, secret: true), name: "local")
    }
}
