/// Everything that cluster.toml and the environment say, checked and complete. A plain value.
public struct Settings: Sendable, Hashable {
    /// The format that this version reads: `config_version`.
    public static let version = 1

    /// The file that was read, as it was named.
    public var file = ""
    /// `[cluster]`.
    public var cluster = ClusterSettings()
    /// `[membership]`.
    public var membership = MembershipSettings()
    /// `[coordinator]`.
    public var coordinator = CoordinatorSettings()
    /// `[keys]`.
    public var keys = KeySettings()
    /// `[node.NAME]`, by name; at least one.
    public var nodes: [NodeSettings] = []
    /// `[app.NAME]`, by name; at least one. An app's index here is its index everywhere in the process.
    public var apps: [AppSettings] = []
    /// `[environment.…]`; every environment has one.
    public var environments = EnvironmentTable()
    /// `[producer.NAME]`, by name.
    public var producers: [ProducerSettings] = []
    /// `[admin.NAME]`, by name.
    public var admins: [AdminSettings] = []
    /// `[delivery]`.
    public var delivery = DeliverySettings()
    /// `[budget.…]`.
    public var budgets = Budgets()
    /// `[limits]`.
    public var limits = LimitSettings()
    /// `[storage]`.
    public var storage = StorageSettings()
    /// `[log]`.
    public var log = LogSettings()
    /// `[simulator]`.
    public var simulator = SimulatorSettings()
    /// `[demo]`.
    public var demo = DemoSettings()

    /// Every default; no node and no app.
    public init() {}

    /// The node of this name.
    public func node(_ name: String) -> NodeSettings? { nodes.first { $0.name == name } }

    /// Names of the nodes that vote when the cluster is made: as configured, or every node.
    public var voters: [String] { cluster.voters.isEmpty ? nodes.map(\.name) : cluster.voters }

    /// Whether there is only one node, which then needs no mesh.
    public var isClusterOfOne: Bool { nodes.count == 1 && cluster.seeds.isEmpty }

    /// The index of the app of this name.
    public func appIndex(_ name: String) -> Int? { apps.firstIndex { $0.name == name } }

    /// The node's secret certificate: as configured, or by convention.
    public func secretKeyFile(of node: NodeSettings) -> String {
        node.secretKeyFile.isEmpty ? keys.secretFile(.node, node.name) : node.secretKeyFile
    }
}

/// How to reach APNs in each of its environments.
public struct EnvironmentTable: Sendable, Hashable {
    private var simulator = EnvironmentSettings.preset(.simulator)
    private var sandbox = EnvironmentSettings.preset(.sandbox)
    private var production = EnvironmentSettings.preset(.production)

    /// With the presets.
    public init() {}

    /// The settings of one environment.
    public subscript(environment: PushEnvironment) -> EnvironmentSettings {
        get {
            switch environment {
            case .simulator: simulator
            case .sandbox: sandbox
            case .production: production
            }
        }
        set {
            switch environment {
            case .simulator: simulator = newValue
            case .sandbox: sandbox = newValue
            case .production: production = newValue
            }
        }
    }
}
