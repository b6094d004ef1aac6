internal import CLinux

/// A child process with its output on descriptors of our choice; for the demo and for tests that kill real processes.
///
/// Threads: one owner at a time. The child is not ended by `deinit`: call `end()` or `kill(_:)` and `wait()`.
public struct ChildProcess: Sendable {
    /// How a process ended.
    public enum Ending: Sendable, Hashable {
        /// It returned this status.
        case exited(Int32)
        /// This signal ended it.
        case signalled(Int32)
    }

    /// Why a process could not be started.
    public struct StartFailure: Error, CustomStringConvertible {
        /// The program.
        public let program: String
        /// errno of posix_spawn or open.
        public let number: Int32
        /// What and why.
        public var description: String { "\(program): \(String(cString: strerror(number)))" }
    }

    /// Process ID; valid until `wait` has returned.
    public let processID: Int32

    /// Starts `program` (a path) with `arguments` (without the program itself). `environment` replaces the parent's
    /// when given. Standard input is /dev/null; standard output and error go to the given files, appended, or are
    /// inherited.
    public init(
        program: String, arguments: [String], environment: [String]? = nil, output: String? = nil,
        errors: String? = nil
    ) throws(StartFailure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_APPEND
        if let output { posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600) }
        if let errors { posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600) }
        var child: pid_t = 0
        let result = withCStrings([program] + arguments) { argv in
            guard let environment else { return posix_spawn(&child, program, &actions, nil, argv, crl_environment()) }
            return withCStrings(environment) { posix_spawn(&child, program, &actions, nil, argv, $0) }
        }
        guard result == 0 else { throw StartFailure(program: program, number: result) }
        processID = child
    }

    /// Sends a signal; harmless when the process has ended but was not waited for.
    public func kill(_ signal: Int32) {
        _ = CLinux.kill(processID, signal)
    }

    /// Waits for the end. Call once.
    public func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0, crl_errno() == EINTR {}
        return ending(status)
    }

    /// How it ended, or nil while it runs; after a non-nil answer neither this nor `wait` may be called again.
    public func poll() -> Ending? {
        var status: Int32 = 0
        return waitpid(processID, &status, WNOHANG) == processID ? ending(status) : nil
    }

    /// Asks with SIGTERM, waits up to `milliseconds`, then insists with SIGKILL.
    @discardableResult
    public func end(withinMilliseconds milliseconds: Int64 = 5000) -> Ending {
        kill(SIGTERM)
        let deadline = Clock.bootMilliseconds() + milliseconds
        let poller = Poller()
        let descriptor = crl_pidfd_open(processID)
        if descriptor >= 0 {
            poller.add(descriptor, tag: 0)
            poller.wait(milliseconds: Int32(clamping: max(0, deadline - Clock.bootMilliseconds()))) { _ in }
            close(descriptor)
        }
        if let ending = poll() { return ending }
        kill(SIGKILL)
        return wait()
    }

    private func ending(_ status: Int32) -> Ending {
        crl_exited(status) != 0 ? .exited(crl_exit_status(status)) : .signalled(crl_term_signal(status))
    }
}

/// Calls `body` with a null-terminated array of C strings.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
        // The array is never empty: it ends with the null.
        guard let base = buffer.baseAddress else { preconditionFailure("empty argument array") }
        return body(base)
    }
}
