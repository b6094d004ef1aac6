internal import Codes
internal import Configuration
internal import LiveActivity
internal import Telemetry
internal import Terminal

/// What every command works with: the console, the environment, the configuration when it is asked for.
struct Program {
    let environment: [String: String]
    let console: Console
    private let configPath: String

    init(environment: [String: String], invocation: Invocation?) {
        self.environment = environment
        configPath = invocation?.text("config") ?? "cluster.toml"
        console = Console(
            format: invocation?.text("output").flatMap(OutputFormat.init(rawValue:)) ?? .table,
            environment: environment, noColour: invocation?.flag("no-color") ?? false)
    }

    /// Reads and checks the configuration; several problems are all shown, the last one is thrown.
    func settings() throws(Fault) -> Settings {
        switch load() {
        case .success(let loaded):
            for warning in loaded.warnings { console.warn(warning) }
            return loaded.settings
        case .failure(let problems):
            for fault in problems.faults.dropLast() { _ = console.fail(fault) }
            throw problems.faults.last ?? Fault(.internalTrouble)
        }
    }

    func load() -> Result<LoadedSettings, SettingsProblems> {
        Settings.load(
            path: configPath, environment: environment,
            otherVariables: Grammar.carillon.variables.union(Self.ownVariables))
    }

    /// Variables beginning with CARILLON_ that tools beside the command read.
    private static let ownVariables: Set<String> = [
        "CARILLON_BINARY", "CARILLON_BENCHMARKS", "CARILLON_SEED", "CARILLON_UPDATE_DOCS",
    ]

    /// A log on standard error as configured; stop the writer at the end.
    func log(_ settings: LogSettings) -> (Logger, LogWriter) {
        let format: LogFormat =
            switch settings.format {
            case .auto: console.diagnosticsAreTerminal ? .text : .json
            case .json: .json
            case .text: .text
            }
        let writer = LogWriter(
            format: format, journal: LogWriter.isJournal(environment: environment), linesMax: settings.linesMax)
        writer.start()
        return (Logger(writer, level: LogLevel(name: settings.level.rawValue) ?? .info, component: "node"), writer)
    }
}
