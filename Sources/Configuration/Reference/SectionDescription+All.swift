extension SectionDescription {
    /// Every section there is, in the order of the reference and of the default file.
    static let all: [SectionDescription] = [
        .plain(
            "cluster", ClusterSettings(), "What holds for all nodes.",
            values: ["voters": .list(["n1", "n2", "n3"])]),
        .plain("keys", KeySettings(), "Where certificates lie. Secrets are never written in this file."),
        .named(
            "node", NodeSettings.self,
            """
            A process of the cluster; `carillon node --name NAME` picks its section. The file is the same for all \
            nodes. Names are for people and certificates; who a node is stands in its data directory.
            """, example: "n1", values: nodeExample(1)),
        .named(
            "app", AppSettings.self, "A bundle ID in one APNs environment, with its credentials.", example: "cricket",
            values: [
                "bundle_id": .text("com.example.cricket"), "environment": .text("simulator"),
                "team_id": .text("SIMTEAM001"), "key_id": .text("SIMKEY0001"),
                "key_file": .text("data/simulator/AuthKey_SIMKEY0001.p8"),
            ]),
        .plain(
            "environment.simulator", EnvironmentSettings.preset(.simulator),
            "How to reach Carillon's own APNs simulator."),
        .plain(
            "environment.sandbox", EnvironmentSettings.preset(.sandbox),
            "How to reach Apple's development environment; these presets hold when nothing is written.",
            style: .commented(like: "environment.simulator")),
        .plain(
            "environment.production", EnvironmentSettings.preset(.production),
            "How to reach Apple's production environment; these presets hold when nothing is written.",
            style: .commented(like: "environment.simulator")),
        .named(
            "producer", ProducerSettings.self, "What the holder of the producer certificate NAME may do.",
            example: "scores", values: ["apps": .list(["cricket"]), "prefixes": .list(["match/"])]),
        .named(
            "admin", AdminSettings.self, "What the holder of the admin certificate NAME may do.", example: "ops",
            values: [:]),
        .plain("delivery", DeliverySettings(), "How events leave for APNs."),
        .plain("budget.app", Budgets().app, "How fast one app may be sent to, over all its destinations."),
        .plain(
            "budget.channel_stored", Budgets().channelStored,
            "How fast one channel may be sent to that stores its most recent message.", style: .like("budget.app"),
            fields: BudgetSettings.channelFields),
        .plain(
            "budget.channel_unstored", Budgets().channelUnstored,
            "How fast one channel may be sent to that stores nothing. Apple allows these more, and says not how much.",
            style: .like("budget.app"),
            fields: BudgetSettings.channelFields),
        .plain("limits", LimitSettings(), "The bounds of everything that is fed from outside."),
        .plain("membership", MembershipSettings(), "How nodes find out who is alive."),
        .plain("coordinator", CoordinatorSettings(), "Elections, leases, and when shards move."),
        .plain("storage", StorageSettings(), "The database of a node. An ack always means that the disk has it."),
        .plain("log", LogSettings(), "What is written to stderr."),
        .plain("simulator", SimulatorSettings(), "The APNs simulator, `carillon apns-simulator`."),
        .plain("demo", DemoSettings(), "The size of `carillon demo`."),
    ]
    /// What the default file says of a node on loopback, from 1 on.
    static func nodeExample(_ number: Int) -> [String: FieldValue] {
        let zones = Array("abcdefghi")
        return [
            "producers": .text("tcp://127.0.0.1:770\(number)"), "control": .text("tcp://127.0.0.1:771\(number)"),
            "data": .text("tcp://127.0.0.1:772\(number)"), "data_dir": .text("data/n\(number)"),
            "zone": .text(String(zones[(number - 1) % zones.count])),
        ]
    }
}
