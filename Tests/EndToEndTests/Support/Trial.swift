import APNsSimulator
import CarillonClient
import Codes
import LiveActivity
import LocalCluster
import Wire

/// A node and a simulator for one test, with the words that tests need to work with them. Call `end` in a `defer`.
final class Trial {
    static let app = LocalCluster.app
    static let bundle = LocalCluster.bundleID
    /// Content states that decode on the devices: a number that only grows and a text.
    static let schema = """
        {"format":1,"types":{"Score":{"monotone":"counter","attributes":{},
        "contentState":{"counter":"Int","note":"String?"}}}}
        """

    let cluster: LocalCluster
    let control: SimulatorControl

    /// Starts the simulator and, unless told otherwise, the node.
    init(_ variables: [String: String] = [:], insecure: Bool = false, startsNode: Bool = true) throws {
        var options = LocalCluster.Options(program: try Binary.path())
        options.nodes = 1
        options.variables = variables
        options.insecure = insecure
        options.schemas = Self.schema
        let cluster = try LocalCluster(options)
        self.cluster = cluster
        do {
            control = try cluster.startSimulator()
            if startsNode { try cluster.startNode() }
        } catch {
            cluster.stop()
            cluster.remove()
            throw error
        }
    }

    /// Ends every process and removes the directory.
    func end() {
        cluster.stop()
        cluster.remove()
    }

    var log: NodeLog { NodeLog(path: cluster.nodeLog) }

    /// A client with the certificate of the producer, or of the admin.
    func client(admin: Bool = false, _ change: (inout ProducerSettings) -> Void = { _ in }) throws -> CarillonProducer {
        var settings = try cluster.clientSettings(admin: admin)
        change(&settings)
        return try CarillonProducer(settings)
    }

    /// Creates a channel through the node; returns its ID at APNs.
    func createChannel(_ name: String, _ admin: CarillonProducer) async throws -> String {
        let request = ChannelRequest(action: .create, app: Self.app, channel: name, storage: .newest)
        return try await admin.channel(request).channels.first?.channelID ?? ""
    }

    /// The node's status document.
    func status(_ admin: CarillonProducer) async throws -> JSONValue {
        let document = try await admin.nodeStatus()
        return try JSONValue(parsing: document.span, limits: JSONLimits(bytesMax: 1 << 20))
    }
}
