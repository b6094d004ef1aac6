internal import CLinux
internal import Codes
internal import Configuration
internal import Loops
internal import Node
internal import Telemetry
internal import Terminal

/// `carillon node`: runs one node until SIGTERM or SIGINT.
enum NodeCommand {
    static let command = Command(
        "node", "Run a node of the cluster.",
        details: """
            Runs until SIGTERM or SIGINT: then others take over what it owns, new events are refused, requests in \
            flight end, and everything is stored. SIGUSR1 does the same for good: the node also waits until others \
            have its copies and leaves the cluster. A second signal ends at once, which is safe: what was \
            acknowledged is on disk. SIGHUP reads the certificates again.
            """,
        options: [
            .text("name", "NAME", "Section [node.NAME] of the configuration.").variable("CARILLON_NAME").required(),
            .flag("check", "Check configuration and certificates, start nothing."),
            .flag("end-with-parent", "End when the parent process does; for programs that start nodes."),
        ],
        examples: [
            CommandExample("carillon node --config cluster.toml --name n1", "Runs node n1."),
            CommandExample("carillon node --name n1 --check", "Says whether it would start."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let settings = try program.settings()
        let name = invocation.text("name") ?? ""
        guard settings.node(name) != nil else {
            throw Fault(.unknownNode, "no section [node.\(name)]", at: settings.file)
        }
        if invocation.flag("check") {
            program.console.say("\(settings.file): node \(name) can start")
            return .success
        }
        var signals = Signals(SIGTERM, SIGINT, SIGHUP, SIGUSR1)
        if invocation.flag("end-with-parent") { ParentWatch.start() }
        let (log, writer) = program.log(settings.log)
        defer { writer.stop() }
        let node = try CarillonNode.start(settings, name: name, log: log)
        var signal = signals.next()
        while signal == SIGHUP {
            node.reloadCertificates()
            signal = signals.next()
        }
        // From here on a second signal has its default effect again.
        signals.release()
        node.stop(withinMilliseconds: 10_000, isFinal: signal == SIGUSR1)
        return .success
    }
}
