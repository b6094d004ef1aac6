import APNsSimulator
import CLinux
import CarillonClient
import Codes
import Configuration
import Messaging
import SimulatedAPNs
import Telemetry

@testable import Node

/// A node and the simulator in this process, with real sockets and a real database in a directory of their own.
final class InProcessNode {
    let directory: String
    let simulator: APNsSimulator
    let control: SimulatorControl
    let settings: Settings
    private let writer: LogWriter
    private let log: Int32
    private(set) var node: CarillonNode?

    init() throws {
        directory = try Self.makeDirectory()
        var own = SimulationSettings(
            credentialsDirectory: directory + "/data/simulator",
            apps: [SimulatedApp(bundleID: "com.example.cricket", teamID: "SIMTEAM001")],
            controlPath: directory + "/control")
        own.schemas = try SimulationSettings.readSchemas(
            Array(#"{"types":{"Score":{"monotone":"counter","contentState":{"counter":"Int"}}}}"#.utf8))
        simulator = try APNsSimulator(own)
        simulator.start()
        control = try SimulatorControl(path: directory + "/control")
        var settings = try TestSettings.make(
            [
                "CARILLON_CLUSTER_INSECURE": "true",
                "CARILLON_NODE_N1_DATA_DIR": directory + "/n1",
                "CARILLON_APP_CRICKET_KEY_FILE": simulator.credentials.providerKeyPath,
                "CARILLON_ENVIRONMENT_SIMULATOR_CA_FILE": simulator.credentials.authorityPath,
                "CARILLON_ENVIRONMENT_SIMULATOR_SEND_PORT": "\(simulator.sendPort)",
                "CARILLON_ENVIRONMENT_SIMULATOR_MANAGE_PORT": "\(simulator.managePort)",
            ], directory: directory)
        // A file cannot say this: producers would not find a port that changes.
        settings.nodes = [settings.nodes[0]]
        settings.cluster.voters = []
        settings.nodes[0].producers = "tcp://127.0.0.1:*"
        settings.nodes[0].control = ""
        settings.nodes[0].data = ""
        self.settings = settings
        log = crl_open("/dev/null", O_WRONLY | O_CLOEXEC, 0)
        writer = LogWriter(descriptor: log, format: .json)
        writer.start()
    }

    /// Starts the node on what is in its directory.
    func start() throws -> CarillonNode {
        let node = try CarillonNode.start(
            settings, name: "n1", log: Logger(writer, level: .warning, component: "node"))
        self.node = node
        return node
    }

    /// Stops the node; the directory stays.
    func stop() {
        node?.stop(withinMilliseconds: 5000)
        node = nil
    }

    func client() throws -> CarillonProducer {
        try CarillonProducer(CarillonClient.ProducerSettings(nodes: [.init(node?.endpoint ?? "")]))
    }

    /// Ends everything and removes the directory.
    func end() {
        stop()
        simulator.stop()
        writer.stop()
        close(log)
        Self.remove(directory)
    }

    static func makeDirectory() throws -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(parent)/carillon-node-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Fault(.outputUnwritable, at: parent) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func remove(_ path: String) {
        if let stream = opendir(path) {
            var names: [String] = []
            while let entry = readdir(stream) { names.append(String(cString: crl_entry_name(entry))) }
            closedir(stream)
            for name in names where name != "." && name != ".." { remove(path + "/" + name) }
            rmdir(path)
        } else {
            unlink(path)
        }
    }
}
