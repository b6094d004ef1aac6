import CLinux
import Codes
import LiveActivity
import LocalCluster
import Loops

/// A run of the `carillon` command to its end.
struct CommandRun {
    /// Its exit status; nil when a signal ended it or it took too long.
    let status: ExitStatus?
    /// What it wrote to standard output.
    let output: String
    /// What it wrote to standard error.
    let errors: String

    /// Runs `carillon` with arguments in an environment that has only the given variables, for at most 30 seconds
    /// unless told otherwise. `directory` is for its output, `prefix` is what comes before the program.
    init(
        _ arguments: [String], directory: String, environment: [String] = [], prefix: [String] = [],
        withinMilliseconds limit: Int64 = 30_000
    ) throws {
        let line = prefix + [try Binary.path()] + arguments
        let name = "\(directory)/command-\(Clock.monotonicNanoseconds())"
        let (out, err) = (name + ".out", name + ".err")
        let child = try ChildProcess(
            program: line[0], arguments: Array(line.dropFirst()),
            environment: ["PATH=/usr/bin:/bin", "HOME=\(directory)"] + environment, output: out, errors: err)
        var ending: ChildProcess.Ending?
        let isDone = eventually(within: limit) {
            ending = child.poll()
            return ending != nil
        }
        if !isDone {
            child.kill(SIGKILL)
            _ = child.wait()
        }
        if case .exited(let status) = ending { self.status = ExitStatus(rawValue: status) } else { status = nil }
        output = TextFile.read(out)
        errors = TextFile.read(err)
        TextFile.remove(out)
        TextFile.remove(err)
    }

    /// Standard output as JSON.
    var json: JSONValue? {
        let bytes = Array(output.utf8)
        return try? JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20))
    }
}

extension Trial {
    /// Runs `carillon` with this trial's configuration.
    func run(_ arguments: [String], environment: [String] = []) throws -> CommandRun {
        try CommandRun(
            arguments + ["--config", cluster.configuration], directory: cluster.directory,
            environment: cluster.variables + environment)
    }
}
