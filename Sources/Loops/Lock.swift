internal import CLinux

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` is not used because the thread sanitizer reports false races on it on Linux; this lock costs
/// about the same and is understood by the sanitizer.
public final class Lock<Value>: @unchecked Sendable {  // the value is only reached with the mutex held
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Guards `value` from now on.
    public init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value while no other thread can. Never call out of the module or block inside.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
