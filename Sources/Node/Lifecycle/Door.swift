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

    var endpoint: String { port.endpoint }

    init(_ settings: Settings, _ node: NodeSettings) throws(Fault) {
        context = MessagingContext()
        var options = ProducerPort.defaultOptions
        options.framesMax = ProducerProtocol.batchFramesMax
        options.frameBytesMax = Int64(settings.limits.frameBytes)
        options.sendHighWater = Int32(clamping: settings.limits.receiptsPerProducer)
        options.backlog = 1024
        guard !settings.cluster.insecure else {
            (allowList, authenticator) = (nil, nil)
            port = try ProducerPort(context: context, endpoint: node.producers, security: .insecure, options: options)
            return
        }
        let certificate = try Certificate.read(settings.secretKeyFile(of: node), secret: true)
        let list = try AllowList(directories: [
            settings.keys.directory(of: .producer), settings.keys.directory(of: .admin),
        ])
        authenticator = try Authenticator(context: context, allowList: list, domain: Self.domain)
        allowList = list
        port = try ProducerPort(
            context: context, endpoint: node.producers,
            security: .server(certificate: certificate, domain: Self.domain), options: options)
    }
}
