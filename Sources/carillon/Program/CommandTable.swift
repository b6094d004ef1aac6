internal import Codes
internal import Terminal

/// Every command with what it runs.
enum CommandTable {
    typealias Body = @Sendable (Program, Invocation) throws(Fault) -> ExitStatus

    static let all: [(command: Command, body: Body)] = [
        (DemoCommand.command, DemoCommand.run),
        (NodeCommand.command, NodeCommand.run),
        (SimulatorCommand.command, SimulatorCommand.run),
        (SimulateCommand.command, SimulateCommand.run),
        (KeysCommands.new, KeysCommands.new),
        (KeysCommands.list, KeysCommands.list),
        (ChannelCommands.create, ChannelCommands.create),
        (ChannelCommands.list, ChannelCommands.list),
        (ChannelCommands.show, ChannelCommands.show),
        (ChannelCommands.delete, ChannelCommands.delete),
        (PublishCommand.command, PublishCommand.run),
        (GetCommand.command, GetCommand.run),
        (EventCommand.command, EventCommand.run),
        (ActivityCommand.command, ActivityCommand.run),
        (RegisterCommands.register, RegisterCommands.register),
        (RegisterCommands.unregister, RegisterCommands.unregister),
        (LintCommand.command, LintCommand.run),
        (SchemaCommand.command, SchemaCommand.run),
        (StatusCommand.command, StatusCommand.run),
        (MembersCommand.command, MembersCommand.run),
        (ShardsCommand.command, ShardsCommand.run),
        (ShardRecoverCommand.command, ShardRecoverCommand.run),
        (TraceCommand.command, TraceCommand.run),
        (MetricsCommand.command, MetricsCommand.run),
        (ConfigCommands.check, ConfigCommands.check),
        (ConfigCommands.explain, ConfigCommands.explain),
        (ConfigCommands.initial, ConfigCommands.initial),
        (ErrorsCommand.command, ErrorsCommand.run),
        (CompletionCommand.command, CompletionCommand.run),
        (VersionCommand.command, { program, _ in VersionCommand.run(program) }),
    ]

    /// What the command runs; the grammar only lets known names through.
    static func body(of name: String) -> Body {
        guard let entry = all.first(where: { $0.command.name == name }) else {
            preconditionFailure("command \(name) has no body")
        }
        return entry.body
    }
}

extension Grammar {
    /// The command line of `carillon`.
    static let carillon = Grammar(
        program: "carillon", summary: "Deliver iOS Live Activity updates.",
        examples: [
            CommandExample("carillon demo", "Shows a real match going through a node to simulated phones."),
            CommandExample("carillon node --config cluster.toml --name n1", "Runs a node."),
            CommandExample("carillon channel create match/7 --app cricket", "Makes a broadcast channel."),
        ],
        globals: [
            .path("config", "FILE", "The configuration.").variable("CARILLON_CONFIG").fallback("cluster.toml"),
            OutputFormat.option,
            .flag("no-color", "Print no colours; NO_COLOR does the same."),
        ],
        commands: CommandTable.all.map(\.command))
}
