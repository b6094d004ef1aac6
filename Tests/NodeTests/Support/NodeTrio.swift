import APNs
import APNsSimulator
import CLinux
import CarillonClient
import Codes
import Configuration
import LiveActivity
import Loops
import Messaging
import SimulatedAPNs
import Storage
import Telemetry
import Wire

@testable import Node

/// Three nodes with certificates, real sockets and databases, and the simulator, all in this process.
final class NodeTrio {
    static let names = ["n1", "n2", "n3"]

    let directory: String
    let simulator: APNsSimulator
    let control: SimulatorControl
    let settings: Settings
    private let writer: LogWriter
    private let log: Int32
    private(set) var nodes: [String: CarillonNode] = [:]

    init() throws {
        directory = try InProcessNode.makeDirectory()
        var own = SimulationSettings(
            credentialsDirectory: directory + "/data/simulator",
            apps: [SimulatedApp(bundleID: "com.example.cricket", teamID: "SIMTEAM001")],
            controlPath: directory + "/control")
        own.schemas = try SimulationSettings.readSchemas(
            Array(#"{"types":{"Score":{"monotone":"counter","contentState":{"counter":"Int"}}}}"#.utf8))
        simulator = try APNsSimulator(own)
        simulator.start()
        control = try SimulatorControl(path: directory + "/control")
        settings = try Self.settings(directory, simulator)
        try Self.makeKeys(settings)
        log = crl_open("/dev/null", O_WRONLY | O_CLOEXEC, 0)
        writer = LogWriter(descriptor: log, format: .json)
        writer.start()
    }

    private static func settings(_ directory: String, _ simulator: APNsSimulator) throws -> Settings {
        let ports = try freePorts(9)
        var variables = [
            "CARILLON_APP_CRICKET_KEY_FILE": simulator.credentials.providerKeyPath,
            "CARILLON_ENVIRONMENT_SIMULATOR_CA_FILE": simulator.credentials.authorityPath,
            "CARILLON_ENVIRONMENT_SIMULATOR_SEND_PORT": "\(simulator.sendPort)",
            "CARILLON_ENVIRONMENT_SIMULATOR_MANAGE_PORT": "\(simulator.managePort)",
            // Unoptimised nodes on a busy machine are slow to answer.
            "CARILLON_COORDINATOR_ELECTION_MS": "3000", "CARILLON_COORDINATOR_HEARTBEAT_MS": "300",
            "CARILLON_COORDINATOR_LEASE_MS": "5000", "CARILLON_COORDINATOR_LEASE_HEARTBEAT_MS": "500",
        ]
        for (number, name) in names.enumerated() {
            let section = "CARILLON_NODE_\(name.uppercased())_"
            variables[section + "PRODUCERS"] = "tcp://127.0.0.1:\(ports[3 * number])"
            variables[section + "CONTROL"] = "tcp://127.0.0.1:\(ports[3 * number + 1])"
            variables[section + "DATA"] = "tcp://127.0.0.1:\(ports[3 * number + 2])"
        }
        return try TestSettings.make(variables, directory: directory)
    }

    /// Ports that were free just now.
    private static func freePorts(_ count: Int) throws -> [String] {
        let context = MessagingContext()
        let held = try (0..<count).map { _ in
            try ProducerPort(context: context, endpoint: "tcp://127.0.0.1:*", security: .insecure)
        }
        defer { for port in held { port.close() } }
        return held.map { String($0.endpoint.split(separator: ":").last ?? "") }
    }

    private static func makeKeys(_ settings: Settings) throws {
        for role in KeySettings.Role.allCases {
            var path = ""
            for part in settings.keys.directory(of: role).split(separator: "/") {
                path += "/" + part
                mkdir(path, 0o700)
            }
        }
        let wanted = names.map { ($0, KeySettings.Role.node) } + [("scores", .producer), ("ops", .admin)]
        for (name, role) in wanted {
            let certificate = try Certificate.generate(
                name: name, role: Certificate.Role(rawValue: role.rawValue) ?? .node)
            _ = try certificate.write(directory: settings.keys.directory(of: role))
        }
    }

    func certificate(_ role: KeySettings.Role, _ name: String, secret: Bool = true) throws -> Certificate {
        let file = secret ? settings.keys.secretFile(role, name) : settings.keys.publicFile(role, name)
        return try Certificate.read(file, secret: secret)
    }

    func start(_ name: String) throws {
        nodes[name] = try CarillonNode.start(
            settings, name: name, log: Logger(writer, level: .warning, component: "node"))
    }

    /// Stops a node as SIGTERM does.
    func stop(_ name: String) { nodes.removeValue(forKey: name)?.stop(withinMilliseconds: 5000) }

    /// Ends a node without a word to the others.
    func cut(_ name: String) { nodes.removeValue(forKey: name)?.cut() }

    func client(
        _ role: KeySettings.Role, _ user: String, at name: String
    ) throws -> CarillonProducer {
        let server = try certificate(.node, name, secret: false)
        var own = CarillonClient.ProducerSettings(
            nodes: [.init(settings.node(name)?.producers ?? "", serverKey: server.publicKey)],
            certificate: try certificate(role, user))
        own.answerMilliseconds = 30_000
        return try CarillonProducer(own)
    }

    /// Waits until the nodes say of themselves that all is well.
    func waitUntilHealthy(_ names: [String] = NodeTrio.names) async throws -> Bool {
        let deadline = Clock.bootMilliseconds() + 60_000
        var clients: [CarillonProducer] = []
        for name in names { clients.append(try client(.admin, "ops", at: name)) }
        var isHealthy = false
        while !isHealthy, Clock.bootMilliseconds() < deadline {
            isHealthy = true
            for client in clients {
                let bytes = try await client.nodeStatus()
                let document = try JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20))
                if document["cluster"]?["healthy"]?.bool != true { isHealthy = false }
            }
        }
        for client in clients { await client.close() }
        return isHealthy
    }

    /// Ends everything and removes the directory.
    func end() {
        for name in nodes.keys.sorted() { nodes[name]?.cut() }
        simulator.stop()
        writer.stop()
        close(log)
        InProcessNode.remove(directory)
    }
}

extension CarillonNode {
    /// Stops without handing anything over, as a process that is killed.
    func cut() {
        let done = Wakeup()
        Task.detached { [loop] in
            await loop.finish(withinMilliseconds: 0)
            done.signal()
        }
        let poller = Poller()
        poller.add(done.descriptor, tag: 0)
        poller.wait(milliseconds: 10_000) { _ in }
        apns.stop(deadlineMilliseconds: 0)
        loop.thread.join()
        store.stop()
        authenticator?.stop()
    }
}
