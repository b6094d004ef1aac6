/// `[cluster]`: what holds for all nodes.
public struct ClusterSettings: Sendable, Hashable {
    /// What logs and metrics call this cluster.
    public var name = "carillon"
    /// Sockets take connections without certificates.
    public var insecure = false

    /// With every default.
    public init() {}
}

extension ClusterSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .text("name", \.name, .name, "What logs and metrics call this cluster."),
        .boolean(
            "insecure", \.insecure,
            "Take connections without certificates. Anyone who reaches the port may then publish; every start warns."),
    ]
}
