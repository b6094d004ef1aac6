internal import CLinux
internal import Loops

/// The one thread that writes log lines, so that a slow or blocked stderr never stalls a loop.
///
/// Lines wait in a bounded mailbox; when it is full they are dropped, counted, and the count is logged as soon as the
/// descriptor takes lines again. At most `linesMax` × about 35 KB wait; a usual line has some 200 bytes.
///
/// Threads: `post` from any; `start` and `stop` once each.
public final class LogWriter: Sendable {
    private struct Tally {
        var dropped: UInt64 = 0
        var reported: UInt64 = 0
        /// Boot-time milliseconds at which a stopping writer gives up; nil while running.
        var deadline: Int64?
    }

    private let mailbox: Mailbox<[UInt8]>
    private let tally = Lock(Tally())
    private let thread: LoopThread
    private let descriptor: Int32
    /// How lines look.
    public let format: LogFormat
    /// Whether lines begin with a priority for systemd's journal.
    public let journal: Bool

    /// Writes to `descriptor`, which stays the caller's; `linesMax` lines may wait.
    public init(descriptor: Int32 = 2, format: LogFormat, journal: Bool = false, linesMax: Int = 8192) {
        mailbox = Mailbox(capacity: linesMax)
        thread = LoopThread(name: "log", wakeup: mailbox.wakeup)
        self.descriptor = descriptor
        self.format = format
        self.journal = journal
    }

    /// Whether `descriptor` is the stream that systemd's journal reads: JOURNAL_STREAM names its device and inode.
    public static func isJournal(_ descriptor: Int32 = 2, environment: [String: String]) -> Bool {
        var status = stat()
        guard let stream = environment["JOURNAL_STREAM"], fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    /// Starts the thread.
    public func start() {
        thread.start { [self] in run() }
    }

    /// Writes what waits, for at most `milliseconds`, and ends the thread. Later lines are dropped.
    public func stop(within milliseconds: Int64 = 2000) {
        mailbox.close()
        tally.withLock { $0.deadline = Clock.bootMilliseconds() + milliseconds }
        mailbox.wakeup.signal()
        thread.join()
    }

    /// Lines dropped so far because the mailbox was full or the writer stopped.
    public var droppedLines: UInt64 { tally.withLock { $0.dropped } }

    /// Hands a whole line over; never blocks.
    func post(_ line: [UInt8]) {
        if !mailbox.post(line) { tally.withLock { $0.dropped += 1 } }
    }

    private func run() {
        blockPipeSignal()
        var batch: [[UInt8]] = []
        var output: [UInt8] = []
        while true {
            let stopping = tally.withLock { $0.deadline != nil }
            mailbox.take(into: &batch)
            for line in batch { output.append(contentsOf: line) }
            appendDropReport(to: &output)
            if output.isEmpty {
                if stopping { return }
                waitReadable()
                continue
            }
            guard write(output) else { return }
            output.removeAll(keepingCapacity: true)
        }
    }

    /// A closed pipe must be an error of write(2), not the end of the process.
    private func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func waitReadable() {
        var wait = pollfd(fd: mailbox.wakeup.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, -1)
        mailbox.wakeup.clear()
    }

    /// Writes all of `bytes`; false when the deadline of `stop` has passed.
    private func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            if let deadline = tally.withLock({ $0.deadline }), Clock.bootMilliseconds() >= deadline { return false }
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&wait, 1, 100) > 0 else { continue }
            // A pipe that polls writable takes 4096 bytes without blocking, even in blocking mode.
            let count = bytes.withUnsafeBytes { raw in
                CLinux.write(descriptor, raw.baseAddress! + offset, min(4096, bytes.count - offset))
            }
            if count > 0 {
                offset += count
            } else if crl_errno() != EINTR && crl_errno() != EAGAIN {
                // Nobody reads any more (closed pipe, full disk): these lines are lost, the process goes on.
                return true
            }
        }
        return true
    }

    private func appendDropReport(to output: inout [UInt8]) {
        let fresh = tally.withLock { tally in
            defer { tally.reported = tally.dropped }
            return tally.dropped - tally.reported
        }
        guard fresh > 0 else { return }
        let head = LogLine.Head(
            milliseconds: Clock.wallMilliseconds(), level: .warning, message: "log lines dropped", component: "log",
            stage: nil)
        LogLine.append(
            head, context: [:], fields: ["count": .count(fresh)], format: format, journal: journal, to: &output)
    }
}
