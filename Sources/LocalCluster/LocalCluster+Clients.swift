public import CarillonClient
public import Codes
internal import Messaging

extension LocalCluster {
    /// Settings of a client with the certificate of `scores`, or of the admin `ops`, for all nodes in their order, or
    /// for those that are named in the order given.
    public func clientSettings(
        admin: Bool = false, nodes names: [String]? = nil
    ) throws(Fault) -> CarillonClient.ProducerSettings {
        var addresses: [CarillonClient.ProducerSettings.Node] = []
        for name in names ?? nodes.map(\.name) {
            let endpoint = node(name).producers
            guard !options.insecure else {
                addresses.append(.init(endpoint))
                continue
            }
            let server = try Certificate.read(keys(.node) + "/\(name).key", secret: false)
            addresses.append(.init(endpoint, serverKey: server.publicKey))
        }
        guard !options.insecure else { return .init(nodes: addresses) }
        let own = admin ? keys(.admin) + "/ops.key_secret" : keys(.producer) + "/scores.key_secret"
        return .init(nodes: addresses, certificate: try Certificate.read(own, secret: true), name: "local")
    }
}
