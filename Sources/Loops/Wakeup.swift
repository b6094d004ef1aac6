internal import CLinux

/// An eventfd that ends another thread's wait.
///
/// Threads: `signal` from any thread, `clear` from the thread that waits on `descriptor`.
public final class Wakeup: Sendable {
    /// Becomes readable after `signal`.
    public let descriptor: Int32

    /// Opens the descriptor; traps only when the process is out of descriptors at start-up.
    public init() {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        precondition(descriptor >= 0, "eventfd: errno \(crl_errno())")
    }

    deinit { close(descriptor) }

    /// Wakes the waiting thread now or, if it is not waiting, at its next wait.
    public func signal() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    /// Takes back all signals so far.
    public func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
