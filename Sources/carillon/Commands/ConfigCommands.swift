internal import Codes
internal import Configuration
internal import LiveActivity
internal import Node
internal import Terminal

/// `carillon config …`: what is wrong with the configuration, and what its keys mean.
enum ConfigCommands {
    static let check = Command(
        "config check", "Find every mistake in the configuration.",
        details: "Prints each as file:line:column with a suggestion, and ends with 78 when there is any.",
        examples: [CommandExample("carillon config check --config cluster.toml", "Checks a file.")])
    static let explain = Command(
        "config explain", "Say what a key means.",
        arguments: [CommandArgument("KEY", "Section and key, for example delivery.key_interval_ms.")],
        examples: [CommandExample("carillon config explain delivery.key_interval_ms", "Explains one key.")])
    static let initial = Command(
        "config default", "Print an annotated configuration that runs as it stands.",
        options: [.integer("nodes", 1...Settings.defaultNodesMax, "Nodes of the cluster.").fallback("3")],
        examples: [CommandExample("carillon config default > cluster.toml", "Begins a configuration.")])

    static func check(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let (faults, warnings): ([Fault], [Fault]) =
            switch program.load() {
            case .success(let loaded): (schemaFaults(loaded.settings), loaded.warnings)
            case .failure(let problems): (problems.faults, problems.warnings)
            }
        if program.console.format == .json {
            let items = faults.map { item($0, "error") } + warnings.map { item($0, "warning") }
            program.console.write(JSONValue.array(items).pretty + "\n")
        } else {
            for warning in warnings { program.console.warn(warning) }
            for fault in faults { _ = program.console.fail(fault) }
            if faults.isEmpty { program.console.write("The configuration is good.\n") }
        }
        return faults.isEmpty ? .success : .config
    }

    /// The schema files are part of the configuration, although only a node reads them.
    private static func schemaFaults(_ settings: Settings) -> [Fault] {
        do throws(Fault) {
            _ = try AppSchemas(settings)
            return []
        } catch { return [error] }
    }

    private static func item(_ fault: Fault, _ severity: String) -> JSONValue {
        [
            "severity": .string(severity), "code": .string(fault.code.id), "slug": .string(fault.code.slug),
            "place": .string(fault.place), "text": .string(fault.detail), "action": .string(fault.code.action),
        ]
    }

    static func explain(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        program.console.write(try Settings.explain(invocation.argument("KEY") ?? "").get() + "\n")
        return .success
    }

    static func initial(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        program.console.write(Settings.defaultFile(nodes: invocation.integer("nodes") ?? 3))
        return .success
    }
}
