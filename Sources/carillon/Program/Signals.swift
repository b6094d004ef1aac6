internal import CLinux

/// Signals as values: blocked before any thread starts, then awaited by the main thread.
struct Signals {
    private var set = sigset_t()

    /// Blocks the signals in this thread and all that it starts from now on.
    init(_ signals: Int32...) {
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Gives the signals back their default effect.
    mutating func release() {
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// Waits for one of them.
    mutating func next() -> Int32 {
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
        return signal
    }
}
