/// How a process ends, by the convention of sysexits(3); `check` commands use 0 to 3 instead.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Done as asked.
    case success = 0
    /// Asked and answered: the thing asked about does not hold (a promise broken, a verification that failed).
    case failed = 1
    /// The cluster answered and is unhealthy; `unavailable` would mean it did not answer.
    case unhealthy = 5
    /// The command line is wrong.
    case usage = 64
    /// Input data is wrong.
    case data = 65
    /// An input file is missing or unreadable.
    case noInput = 66
    /// Nobody answered at the endpoint.
    case unavailable = 69
    /// A fault of our own.
    case internalError = 70
    /// A file could not be created or written.
    case cannotCreate = 73
    /// Reading or writing failed.
    case io = 74
    /// Worth trying again.
    case temporary = 75
    /// Not allowed.
    case permission = 77
    /// The configuration is wrong.
    case config = 78
    /// Ended by Ctrl-C.
    case interrupted = 130
}
