public import APNsSimulator
internal import CLinux
public import Codes
internal import Configuration
internal import Loops
internal import Messaging

/// Nodes and the APNs simulator as child processes on loopback, with fresh keys in a directory of their own: what the
/// demo, the end-to-end tests and the benchmarks run on.
///
/// Children end with their parent. Threads: one owner at a time.
public final class LocalCluster {
    /// Name of the first node, which is meant where none is named.
    public static let node = "n1"
    /// Name of the app.
    public static let app = "cricket"
    /// Bundle ID of the app.
    public static let bundleID = "com.example.cricket"

    /// Where everything lies: configuration, keys, data, logs.
    public let directory: String
    /// The nodes of the configuration, running or not.
    public internal(set) var nodes: [Node]
    /// The simulator's port for device pushes and broadcasts.
    public let sendPort: UInt16
    /// The simulator's port for channel management.
    public let managePort: UInt16
    let options: Options
    private let environment: [String: String]
    private var simulator: ChildProcess?

    /// Makes directory, configuration and keys; nothing runs yet.
    public init(_ options: Options) throws(Fault) {
        self.options = options
        directory = try TemporaryDirectory.make()
        let count = min(max(options.nodes, 1), Settings.defaultNodesMax)
        let ports = try FreePorts.choose(3 * count + 2)
        (sendPort, managePort) = (ports[3 * count], ports[3 * count + 1])
        nodes = []
        for number in 1...count {
            let place = options.places["n\(number)"] ?? Place()
            nodes.append(Node(number, place, ports: ports[3 * number - 3..<3 * number], directory: directory))
        }
        environment = Self.variables(options, nodes, sendPort: sendPort, managePort: managePort)
        try TemporaryDirectory.write(Settings.defaultFile(nodes: count), to: configuration)
        try makeKeys()
    }

    deinit { stop() }

    private static func variables(
        _ options: Options, _ nodes: [Node], sendPort: UInt16, managePort: UInt16
    ) -> [String: String] {
        var variables: [String: String] = [:]
        for node in nodes { variables.merge(node.variables) { $1 } }
        let voters = nodes.prefix(options.voters ?? nodes.count).map(\.name)
        variables["CARILLON_CLUSTER_VOTERS"] = voters.joined(separator: ",")
        for section in ["SIMULATOR", "ENVIRONMENT_SIMULATOR"] {
            variables["CARILLON_\(section)_SEND_PORT"] = "\(sendPort)"
            variables["CARILLON_\(section)_MANAGE_PORT"] = "\(managePort)"
        }
        for key in ["SIMULATOR_HOST", "ENVIRONMENT_SIMULATOR_SEND_HOST", "ENVIRONMENT_SIMULATOR_MANAGE_HOST"] {
            variables["CARILLON_" + key] = options.simulatorPlace.host
        }
        if options.insecure { variables["CARILLON_CLUSTER_INSECURE"] = "true" }
        return variables.merging(options.variables) { $1 }
    }

    private func makeKeys() throws(Fault) {
        let all = nodes.map { (Certificate.Role.node, $0.name) } + [(.producer, "scores"), (.admin, "ops")]
        for (role, name) in all {
            let place = keys(role)
            try TemporaryDirectory.makeAll(place)
            try Certificate.generate(name: name, role: role).write(directory: place)
        }
    }

    func keys(_ role: Certificate.Role) -> String { "\(directory)/data/keys/\(role.rawValue)" }

    // MARK: Places

    /// Path of the configuration file.
    public var configuration: String { directory + "/cluster.toml" }
    /// What the environment of every child says besides the configuration file: `CARILLON_SECTION_KEY=value`.
    public var variables: [String] { environment.map { "\($0.key)=\($0.value)" }.sorted() }
    /// The simulator's credentials.
    public var simulatorCredentials: SimulatorCredentials {
        SimulatorCredentials(directory: directory + "/data/simulator", keyID: "SIMKEY0001")
    }
    /// Path of the simulator's log.
    public var simulatorLog: String { directory + "/simulator.log" }
    /// The simulator's process, while it was started.
    public var simulatorProcess: Int32? { simulator?.processID }

    /// The node of this name; the names are those of `nodes`.
    public func node(_ name: String) -> Node { nodes[index(name)] }

    func index(_ name: String) -> Int {
        guard let index = nodes.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("no node \(name)")
        }
        return index
    }

    // MARK: The simulator

    /// Starts the simulator and waits until it can be asked.
    public func startSimulator() throws(Fault) -> SimulatorControl {
        var arguments = ["apns-simulator", "--config", configuration, "--end-with-parent"]
        if let schemas = options.schemas {
            try TemporaryDirectory.write(schemas, to: directory + "/schemas.json")
            arguments += ["--schemas", directory + "/schemas.json"]
        }
        simulator = try start(arguments, at: options.simulatorPlace, log: simulatorLog)
        return try control()
    }

    /// A connection to the running simulator's control socket.
    public func control() throws(Fault) -> SimulatorControl {
        try SimulatorControl(path: directory + "/data/simulator/control.sock", waitMilliseconds: 10_000)
    }

    // MARK: All

    /// Ends everything that runs: all nodes at once, then the simulator.
    public func stop() {
        for node in nodes {
            node.process?.kill(SIGCONT)
            node.process?.kill(SIGTERM)
        }
        for node in nodes { endNode(node.name) }
        _ = simulator?.end(withinMilliseconds: 5000)
        simulator = nil
    }

    /// Removes the directory; call `stop` before.
    public func remove() { TemporaryDirectory.remove(directory) }

    func start(_ arguments: [String], at place: Place, log: String) throws(Fault) -> ChildProcess {
        let line = place.prefix + [options.program] + arguments
        let own = environment.merging(place.variables) { $1 }.map { "\($0.key)=\($0.value)" }
        do {
            return try ChildProcess(
                program: line[0], arguments: Array(line.dropFirst()),
                environment: own + ["PATH=/usr/bin:/bin", "HOME=\(directory)"], output: log, errors: log)
        } catch {
            throw Fault(.inputUnreadable, "\(error)", at: line[0])
        }
    }
}
