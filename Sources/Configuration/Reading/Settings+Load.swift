public import Codes

/// What was read, with what was doubtful about it.
public struct LoadedSettings: Sendable {
    /// The settings.
    public var settings: Settings
    /// To be shown at every start; nothing is wrong enough to refuse.
    public var warnings: [Fault]
}

/// Everything that is wrong with a configuration, by place.
public struct SettingsProblems: Error, Sendable, CustomStringConvertible {
    /// At least one.
    public var faults: [Fault]
    /// What was doubtful besides.
    public var warnings: [Fault] = []

    /// One problem a line.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}

extension Settings {
    /// Reads and checks `path`, then the `CARILLON_…` variables, which win.
    ///
    /// - Parameters:
    ///   - path: the file, up to 1 MB; relative paths in it are relative to its directory.
    ///   - environment: the variables of the process.
    ///   - otherVariables: names that begin with `CARILLON_` and mean something else, such as those behind options.
    public static func load(
        path: String, environment: [String: String], otherVariables: Set<String> = []
    ) -> Result<LoadedSettings, SettingsProblems> {
        switch ConfigurationFile.read(path) {
        case .success(let bytes):
            parse(bytes, file: path, environment: environment, otherVariables: otherVariables)
        case .failure(let fault): .failure(SettingsProblems(faults: [fault]))
        }
    }

    /// The same for text that is already read; `file` is what messages call it and what paths are relative to.
    public static func parse(
        _ bytes: [UInt8], file: String, environment: [String: String], otherVariables: Set<String> = []
    ) -> Result<LoadedSettings, SettingsProblems> {
        switch TomlParser.parse(bytes, file: file) {
        case .failure(let fault): return .failure(SettingsProblems(faults: [fault]))
        case .success(let root):
            var reader = SettingsReader(file: file, environment: environment)
            let entries = root.table ?? []
            guard checkVersion(entries, &reader) else { return .failure(SettingsProblems(faults: reader.faults)) }
            let settings = read(entries, file, &reader)
            CrossChecks(settings: settings).run(&reader)
            reader.warnOfUnknownVariables(others: otherVariables.union(Variables.exceptions))
            let faults = reader.faults
            return faults.isEmpty
                ? .success(LoadedSettings(settings: settings, warnings: reader.warnings))
                : .failure(SettingsProblems(faults: faults, warnings: reader.warnings))
        }
    }

    /// A file of another version would only give misleading problems: nothing else is looked at then.
    private static func checkVersion(_ entries: [TomlEntry], _ reader: inout SettingsReader) -> Bool {
        guard let entry = entries.first(where: { $0.key == "config_version" }) else {
            reader.report(.configurationVersion, "config_version is missing", SourcePosition(line: 1, column: 1))
            return false
        }
        guard entry.node.value == .integer(Int64(version)) else {
            reader.report(.configurationVersion, "config_version must be \(version)", entry.node.position)
            return false
        }
        return true
    }

    private static func read(_ entries: [TomlEntry], _ file: String, _ reader: inout SettingsReader) -> Settings {
        func entry(_ name: String) -> TomlEntry? { entries.first { $0.key == name } }
        reader.refuseUnknown(entries, in: "", known: ["config_version"] + SectionDescription.roots)
        var settings = Settings()
        settings.file = file
        settings.cluster = reader.read("cluster", entry("cluster"), base: settings.cluster)
        settings.membership = reader.read("membership", entry("membership"), base: settings.membership)
        settings.coordinator = reader.read("coordinator", entry("coordinator"), base: settings.coordinator)
        settings.keys = reader.read("keys", entry("keys"), base: settings.keys)
        settings.nodes = reader.readAll("node", entry("node"))
        settings.apps = reader.readAll("app", entry("app"))
        settings.environments = readEnvironments(entry("environment"), &reader)
        settings.producers = reader.readAll("producer", entry("producer"))
        settings.admins = reader.readAll("admin", entry("admin"))
        settings.delivery = reader.read("delivery", entry("delivery"), base: settings.delivery)
        settings.budgets = readBudgets(entry("budget"), &reader)
        settings.limits = reader.read("limits", entry("limits"), base: settings.limits)
        settings.storage = reader.read("storage", entry("storage"), base: settings.storage)
        settings.log = reader.read("log", entry("log"), base: settings.log)
        settings.simulator = reader.read("simulator", entry("simulator"), base: settings.simulator)
        settings.demo = reader.read("demo", entry("demo"), base: settings.demo)
        return settings
    }

    private static func readEnvironments(_ entry: TomlEntry?, _ reader: inout SettingsReader) -> EnvironmentTable {
        var environments = EnvironmentTable()
        let entries = reader.table("environment", entry)
        reader.refuseUnknown(entries, in: "environment", known: PushEnvironment.allCases.map(\.rawValue))
        for environment in PushEnvironment.allCases {
            let name = environment.rawValue
            environments[environment] = reader.read(
                "environment.\(name)", entries.first { $0.key == name }, base: environments[environment])
        }
        return environments
    }

    private static func readBudgets(_ entry: TomlEntry?, _ reader: inout SettingsReader) -> Budgets {
        var budgets = Budgets()
        let entries = reader.table("budget", entry)
        reader.refuseUnknown(entries, in: "budget", known: ["app", "channel_stored", "channel_unstored"])
        func channel(_ name: String, _ base: BudgetSettings, _ reader: inout SettingsReader) -> BudgetSettings {
            var budget = reader.read(
                "budget.\(name)", entries.first { $0.key == name }, base: base, fields: BudgetSettings.channelFields)
            budget.reservePercent = budgets.app.reservePercent
            return budget
        }
        budgets.app = reader.read("budget.app", entries.first { $0.key == "app" }, base: budgets.app)
        budgets.channelStored = channel("channel_stored", budgets.channelStored, &reader)
        budgets.channelUnstored = channel("channel_unstored", budgets.channelUnstored, &reader)
        return budgets
    }
}
