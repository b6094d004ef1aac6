/// How much a log line matters to whom.
public enum LogLevel: UInt8, Sendable, Comparable, CaseIterable {
    /// Anything; for a developer's own machine.
    case trace = 0
    /// Safe in production for a while.
    case debug = 1
    /// Rare facts.
    case info = 2
    /// Lifecycle: started, recovered, drained.
    case notice = 3
    /// Someone should act in working hours.
    case warning = 4
    /// Someone should act now.
    case error = 5

    /// The word in configuration and log lines.
    public var name: String {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// Reads the word.
    public init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// The priority digit that systemd reads from `<6>` at the start of a line (sd-daemon(3)).
    var journalPriority: UInt8 {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    /// By severity.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
