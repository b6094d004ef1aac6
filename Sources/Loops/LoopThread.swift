internal import CLinux

/// A named thread that runs one loop, and the executor of the actor that is pinned to it.
///
/// The loop body calls `runJobs()` once per turn, and its wait must end when `wakeup.descriptor` becomes readable.
/// State that belongs to the thread is an `actor` whose `unownedExecutor` is this thread; the loop enters it with
/// `assumeIsolated`, control-plane code with `await`. Never a job per message: messages travel in mailboxes.
public final class LoopThread: SerialExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var thread: pthread_t?
        var joined = false
    }

    private let state = Lock(State())
    /// Thread name, at most 15 bytes (pthread_setname_np).
    public let name: String
    /// Ends the loop's wait when a job arrives; share it with the loop's mailboxes.
    public let wakeup: Wakeup

    /// Prepares the thread; it runs from `start` on.
    public init(name: String, wakeup: Wakeup = Wakeup()) {
        precondition(name.utf8.count <= 15, "thread name too long: \(name)")
        self.name = name
        self.wakeup = wakeup
    }

    /// Starts the thread with `body`, which runs until it returns. Call once.
    public func start(_ body: @escaping @Sendable () -> Void) {
        let entry = Unmanaged.passRetained(Entry(thread: self, body: body))
        var thread = pthread_t()
        let result = pthread_create(&thread, nil, loopThreadMain, entry.toOpaque())
        precondition(result == 0, "pthread_create: \(result)")
        let started = thread
        state.withLock { $0.thread = started }
    }

    /// Waits for the body to return. Call once after start, from another thread.
    public func join() {
        let thread: pthread_t? = state.withLock { state in
            guard !state.joined else { return nil }
            state.joined = true
            return state.thread
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// Runs the jobs of the pinned actor that wait; call once per turn, on the thread.
    public func runJobs() {
        let jobs = state.withLock { state in
            let jobs = state.jobs
            state.jobs.removeAll(keepingCapacity: true)
            return jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Called by the Swift runtime.
    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        state.withLock { $0.jobs.append(unowned) }
        wakeup.signal()
    }

    /// Called by the Swift runtime.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Whether the caller runs on this thread.
    public var isCurrent: Bool {
        state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Called by the Swift runtime for `assumeIsolated`.
    public func checkIsolated() {
        precondition(isCurrent, "not on thread \(name)")
    }

    /// Called by the Swift runtime.
    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    fileprivate final class Entry {
        let thread: LoopThread
        let body: @Sendable () -> Void
        init(thread: LoopThread, body: @escaping @Sendable () -> Void) {
            self.thread = thread
            self.body = body
        }
    }
}

private func loopThreadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let entry = Unmanaged<LoopThread.Entry>.fromOpaque(argument).takeRetainedValue()
    _ = crl_set_thread_name(entry.thread.name)
    entry.thread.adopt()
    entry.body()
    return nil
}

extension LoopThread {
    /// Records the running thread before the body starts, so that isolation checks hold from its first line.
    fileprivate func adopt() {
        state.withLock { $0.thread = pthread_self() }
    }
}
