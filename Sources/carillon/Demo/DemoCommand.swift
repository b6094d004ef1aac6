internal import CLinux
internal import Codes
internal import Configuration
internal import Terminal

/// `carillon demo`: a real match through a real node to simulated phones, with its promises checked at the end.
enum DemoCommand {
    static let command = Command(
        "demo", "Show a real match going through a cluster to simulated phones.",
        details: """
            Starts an APNs simulator and three nodes as child processes on loopback with fresh keys, and publishes \
            every ball of the final of the Indian Premier League 2024 (facts after Cricsheet, match 1426312). In the \
            middle of the second innings the node that owns the match's channel is killed with SIGKILL and started \
            again a little later. Ends with 0 only if every online device shows the final score, no device went \
            back, nothing acknowledged was lost, nothing rang twice and the channel was taken over; else with 1. \
            With --existing it plays on the running cluster of the configuration instead, whose simulator must have \
            been started with the schemas of Deploy/match.json.
            """,
        options: [
            .flag("plain", "Print lines instead of a live view; for pipes and CI."),
            .integer("seconds", 5...3600, "How long the match takes.").fallback("60"),
            .integer("devices", 1...1_000_000, "Devices that follow the channel.").fallback("3000"),
            .integer("tokens", 1...10_000, "Devices that hold a token of their own.").fallback("300"),
            .integer("nodes", 1...9, "Nodes of the cluster; one is killed when there are several.").fallback("3"),
            .flag("no-kill", "Kill nobody."),
            .word("sabotage", DemoPlan.sabotages, "Break a promise on purpose, to see that the checks notice."),
            .flag("keep", "Keep the directory with configuration, keys, data and logs."),
            .flag("existing", "Play on the running cluster of the configuration."),
            .path(
                "orders", "FILE",
                "With --existing: a file or pipe that gets lines `kill NAME` and `start NAME`."
            ),
        ],
        examples: [
            CommandExample("carillon demo", "Shows the match in about a minute."),
            CommandExample("carillon demo --plain --seconds 15", "The same for a pipe, faster."),
            CommandExample("carillon demo --sabotage reorder", "Ends with 1: devices went back."),
            CommandExample("carillon demo --nodes 1", "Shows a node alone."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let defaults = DemoSettings()
        let plan = DemoPlan(
            seconds: invocation.integer("seconds") ?? defaults.durationSeconds,
            channelDevices: invocation.integer("devices") ?? defaults.channelDevices,
            tokenDevices: invocation.integer("tokens") ?? defaults.tokenDevices,
            offlinePercent: defaults.offlinePercent, latePercent: defaults.latePercent,
            sabotage: invocation.text("sabotage"), kills: !invocation.flag("no-kill"))
        let screen = Screen(plain: invocation.flag("plain"), environment: program.environment)
        let cluster =
            invocation.flag("existing")
            ? try DemoCluster(program, orders: invocation.text("orders"))
            : try DemoCluster(program: try ownPath(), nodes: invocation.integer("nodes") ?? 3)
        let demo = Demo(plan, cluster, screen: screen)
        defer { demo.close(keep: invocation.flag("keep")) }
        return try demo.run() ? .success : .failed
    }

    /// The running program, which the demo starts again as node and simulator.
    static func ownPath() throws(Fault) -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { throw Fault(.internalTrouble, "/proc/self/exe cannot be read") }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
