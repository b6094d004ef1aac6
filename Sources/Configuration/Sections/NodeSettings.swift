/// `[node.NAME]`: one process of the cluster.
public struct NodeSettings: Sendable, Hashable {
    /// The node's name.
    public var name = ""
    /// Endpoint that the producers' socket binds.
    public var producers = "tcp://127.0.0.1:7701"
    /// Endpoint that the control plane of the mesh binds: membership, coordinator, leases. Empty: a cluster of one.
    public var control = ""
    /// Endpoint that the data plane of the mesh binds: copies and forwarded events. Empty: a cluster of one.
    public var data = ""
    /// Host under which others reach this node; empty: the host of the bound endpoints.
    public var advertiseHost = ""
    /// Directory of the node's database.
    public var dataDirectory = "data/n1"
    /// Failure domain; empty when there is only one.
    public var zone = ""
    /// Share of the keys relative to other nodes, in per cent.
    public var weight = 100
    /// The node's secret certificate; empty: by convention in `[keys] directory`.
    public var secretKeyFile = ""

    /// With every default.
    public init() {}

    /// Where other nodes reach the control plane; nil without one, or when nobody can know the host.
    public var advertisedControl: Endpoint? { advertised(control) }
    /// Where other nodes reach the data plane; nil without one, or when nobody can know the host.
    public var advertisedData: Endpoint? { advertised(data) }
    /// Where producers and admins reach the node from elsewhere; nil when nobody can know the host.
    public var advertisedProducers: Endpoint? { advertised(producers) }

    private func advertised(_ bound: String) -> Endpoint? {
        guard let endpoint = Endpoint(bound) else { return nil }
        if !advertiseHost.isEmpty { return endpoint.at(advertiseHost) }
        return endpoint.isWildcard ? nil : endpoint
    }
}

extension NodeSettings: NamedSection {
    static let fields: [Field<Self>] = [
        .text(
            "producers", \.producers, .endpoint,
            "Where producers and admins connect. tcp://*:7701 listens on every interface.", required: true),
        .text(
            "control", \.control, .optionalEndpoint,
            """
            Where other nodes reach the control plane: who is alive, who coordinates, leases. Small messages that must \
            not wait behind others. Empty only for a cluster of one.
            """),
        .text(
            "data", \.data, .optionalEndpoint,
            "Where other nodes reach the data plane: copies and forwarded events. Empty only for a cluster of one."),
        .text(
            "advertise_host", \.advertiseHost, .optionalHost,
            """
            Host under which others reach this node; names are looked up again whenever a connection is made. Empty: \
            the host of the endpoints above. Needed when those listen on every interface (* or 0.0.0.0).
            """),
        .path(
            "data_dir", \.dataDirectory,
            "Directory of the node's database. Two nodes never share one; losing it loses this node's copies.",
            required: true),
        .text(
            "zone", \.zone, .any,
            "Failure domain, for example a rack or an availability zone. Copies of a key are kept in different ones."),
        .integer(
            "weight", \.weight, 0...1000,
            "Share of the keys that it takes relative to other nodes, in per cent; 0 takes none."),
        .path(
            "secret_key_file", \.secretKeyFile,
            "The node's secret certificate. Empty: node/NAME.key_secret in the directory of [keys].", optional: true),
    ]
}
