internal import Cluster
internal import Codes
internal import Configuration
internal import Messaging
internal import Wire

/// What stands between the network and the core: the ZeroMQ context, the allow-list with its ZAP handler, the
/// producers' port.
struct Door {
    /// ZAP domain of producers and admins; nodes of a cluster have another.
    static let domain = "producers"

    let context: MessagingContext
    let allowList: AllowList?
    let authenticator: Authenticator?
    let port: ProducerPort
    private let security: MeshSettings.Security?

    var endpoint: String { port.endpoint }

    init(_ settings: Settings, _ node: NodeSettings) throws(Fault) {
        // The control plane has an I/O thread of its own: what it carries never waits behind anything.
        context = node.hasMesh ? MessagingContext(ioThreads: 2, socketsMax: 4096) : MessagingContext()
        var options = ProducerPort.defaultOptions
        options.framesMax = ProducerProtocol.batchFramesMax
        options.frameBytesMax = Int64(settings.limits.frameBytes)
        options.sendHighWater = Int32(clamping: settings.limits.receiptsPerProducer)
        options.backlog = 1024
        options.ioThread = node.hasMesh ? 1 : nil
        guard !settings.cluster.insecure else {
            (allowList, authenticator, security) = (nil, nil, nil)
            port = try ProducerPort(context: context, endpoint: node.producers, security: .insecure, options: options)
            return
        }
        let certificate = try Certificate.read(settings.secretKeyFile(of: node), secret: true)
        let list = try AllowList(directories: [
            settings.keys.directory(of: .producer), settings.keys.directory(of: .admin),
        ])
        var domains = [Authenticator.Domain(Self.domain, list, roles: [.producer, .admin])]
        if node.hasMesh {
            let nodes = try AllowList(directories: [settings.keys.directory(of: .node)])
            domains.append(Authenticator.Domain(MeshSettings.Security.domain, nodes, roles: [.node]))
            security = MeshSettings.Security(certificate: certificate, allowList: nodes)
        } else {
            security = nil
        }
        authenticator = try Authenticator(context: context, domains: domains)
        allowList = list
        port = try ProducerPort(
            context: context, endpoint: node.producers,
            security: .server(certificate: certificate, domain: Self.domain), options: options)
    }

    /// Opens both planes of the mesh; nil in a cluster of one.
    func openMesh(_ node: NodeSettings, _ record: NodeRecord) throws(Fault) -> MeshPort? {
        guard node.hasMesh else { return nil }
        let generation = (0..<8).map { UInt8(truncatingIfNeeded: record.generation >> (56 - 8 * $0)) }
        var mesh = MeshSettings(
            control: node.control, data: node.data, identity: record.id.bytes + generation, security: security)
        mesh.ioThreads = (control: 0, data: 1)
        return try MeshPort(context: context, settings: mesh)
    }

    /// Does the rest of a start, and lets go of the port when it fails.
    func closingOnFault<Result: ~Copyable>(_ body: () throws(Fault) -> Result) throws(Fault) -> Result {
        do throws(Fault) {
            return try body()
        } catch {
            port.close()
            authenticator?.stop()
            throw error
        }
    }
}

extension NodeSettings {
    /// Whether the node listens to other nodes.
    fileprivate var hasMesh: Bool { !control.isEmpty && !data.isEmpty }
}
