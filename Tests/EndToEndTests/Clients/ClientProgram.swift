import CLinux
import Codes
import Loops

/// A program that others wrote, found on the PATH.
struct ClientProgram {
    /// What it wrote when it ended.
    struct Result {
        /// 0: it says that all went well.
        let status: Int32?
        let output: String
    }

    private let path: String

    /// Where fixtures for these programs lie.
    static let fixtures =
        "\(#filePath)".split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/clients"
    /// The example that users start from.
    static let producer =
        "\(#filePath)".split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/Docs/Examples/producer.py"

    /// Throws with what to install when it is not there.
    init(_ name: String) throws {
        guard let path = Self.find(name) else {
            throw Fault(.inputUnreadable, "install the packages that Deploy/test.sh names", at: name)
        }
        self.path = path
    }

    private static func find(_ name: String) -> String? {
        let directories = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin"
        return directories.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    // MARK: - Whether it is there

    /// Whether its tests run: it is there, or this is CI, where its absence is a failure and not a gap.
    static func isExpected(_ name: String) -> Bool { isContinuousIntegration || find(name) != nil }

    /// The same for Python with modules.
    static func isExpected(pythonModules modules: String) -> Bool {
        if isContinuousIntegration { return true }
        guard let python = find("python3"),
            let child = try? ChildProcess(
                program: python, arguments: ["-c", "import \(modules)"], output: "/dev/null", errors: "/dev/null")
        else { return false }
        return child.wait() == .exited(0)
    }

    private static var isContinuousIntegration: Bool {
        getenv("CI").map { String(cString: $0) } == "true"
    }

    // MARK: - Running it

    /// Starts it with output and errors in one file.
    func start(_ arguments: [String], environment: [String] = [], output: String) throws -> ChildProcess {
        let inherited = getenv("PATH").map { "PATH=" + String(cString: $0) } ?? "PATH=/usr/bin:/bin"
        return try ChildProcess(
            program: path, arguments: arguments, environment: [inherited, "HOME=/nonexistent"] + environment,
            output: output, errors: output)
    }

    /// Runs it to its end, at most a minute.
    func run(_ arguments: [String], environment: [String] = [], directory: String) throws -> Result {
        let output = "\(directory)/client-\(Clock.monotonicNanoseconds()).out"
        let child = try start(arguments, environment: environment, output: output)
        var ending: ChildProcess.Ending?
        let isDone = eventually(within: 60_000) {
            ending = child.poll()
            return ending != nil
        }
        if !isDone {
            child.kill(SIGKILL)
            _ = child.wait()
        }
        defer { TextFile.remove(output) }
        guard case .exited(let status) = ending else { return Result(status: nil, output: TextFile.read(output)) }
        return Result(status: status, output: TextFile.read(output))
    }
}
