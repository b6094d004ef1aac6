/// `[cluster]`: what holds for all nodes.
public struct ClusterSettings: Sendable, Hashable {
    /// What logs and metrics call this cluster.
    public var name = "carillon"
    /// Names of the nodes that vote at bootstrap; empty: every node of the file.
    public var voters: [String] = []
    /// Most copies of a key.
    public var replicas = 3
    /// Control endpoints of nodes that are not in the file, as `NAME=ENDPOINT`.
    public var seeds: [String] = []
    /// Sockets take connections without certificates.
    public var insecure = false

    /// With every default.
    public init() {}

    /// The seeds in their parts.
    public var seedEndpoints: [(name: String, control: Endpoint)] {
        seeds.compactMap { text in
            guard let sign = text.firstIndex(of: "="), let control = Endpoint(String(text[text.index(after: sign)...]))
            else { return nil }
            return (String(text[..<sign]), control)
        }
    }
}

extension ClusterSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .text("name", \.name, .name, "What logs and metrics call this cluster; nodes of another name are not let in."),
        .list(
            "voters", \.voters, of: .nodeName,
            """
            Nodes that elect the coordinator. The first of them makes the cluster, as soon as it sees all others; who is \
            added later votes once it has joined. Empty: every node of this file. Three survive the loss of one, five \
            of two.
            """, optional: true),
        .integer(
            "replicas", \.replicas, 1...7,
            "Copies of each key where there are so many nodes. An event is acknowledged when two are on disk."),
        .list(
            "seeds", \.seeds, of: .seed,
            "Control endpoints of nodes that are not in this file, through which it can also be joined.",
            optional: true),
        .boolean(
            "insecure", \.insecure,
            "Take connections without certificates. Anyone who reaches the port may then publish; every start warns."),
    ]
}
