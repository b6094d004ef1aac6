/// `[log]`: what is written to stderr.
public struct LogSettings: Sendable, Hashable {
    /// From which severity on.
    public enum Level: String, Sendable, CaseIterable {
        /// Anything; for a developer's own machine.
        case trace
        /// Safe in production for a while.
        case debug
        /// Rare facts.
        case info
        /// Lifecycle.
        case notice
        /// Someone should act in working hours.
        case warning
        /// Someone should act now.
        case error
    }

    /// How lines look.
    public enum Format: String, Sendable, CaseIterable {
        /// Text on a terminal, JSON elsewhere.
        case auto
        /// One JSON object a line.
        case json
        /// For people.
        case text
    }

    /// Lines below it are not written.
    public var level = Level.info
    /// How lines look.
    public var format = Format.auto
    /// Most lines that wait for a slow reader.
    public var linesMax = 8_192

    /// With every default.
    public init() {}
}

extension LogSettings: SettingsSection {
    static let fields: [Field<Self>] = [
        .word("level", \.level, "Lines below it are not written. `debug` is safe in production for a while."),
        .word("format", \.format, "`auto` writes text on a terminal and JSON elsewhere."),
        .integer(
            "lines_max", \.linesMax, 16...1_000_000,
            "Most lines that wait for a slow reader of stderr; more are dropped and counted. No loop ever waits."),
    ]
}
