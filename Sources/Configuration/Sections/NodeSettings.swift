/// `[node.NAME]`: one process of the cluster.
public struct NodeSettings: Sendable, Hashable {
    /// The node's name.
    public var name = ""
    /// Endpoint that the producers' socket binds.
    public var producers = "tcp://127.0.0.1:7701"
    /// Directory of the node's database.
    public var dataDirectory = "data/n1"
    /// Failure domain; empty when there is only one.
    public var zone = ""
    /// The node's secret certificate; empty: by convention in `[keys] directory`.
    public var secretKeyFile = ""

    /// With every default.
    public init() {}
}

extension NodeSettings: NamedSection {
    static let fields: [Field<Self>] = [
        .text(
            "producers", \.producers, .endpoint,
            "Where producers and admins connect. tcp://*:7701 listens on every interface.", required: true),
        .path(
            "data_dir", \.dataDirectory,
            "Directory of the node's database. Two nodes never share one; losing it loses this node's copies.",
            required: true),
        .text(
            "zone", \.zone, .any,
            "Failure domain, for example a rack or an availability zone. A single node only reports it."),
        .path(
            "secret_key_file", \.secretKeyFile,
            "The node's secret certificate. Empty: node/NAME.key_secret in the directory of [keys].", optional: true),
    ]
}
