internal import CLinux

/// Level-triggered epoll over a handful of descriptors, each known by a caller's tag.
///
/// Threads: one loop thread, except the initialiser.
public final class Poller {
    /// One descriptor's readiness.
    public struct Readiness: Sendable {
        /// The tag given at `add`.
        public let tag: UInt64
        /// Reading will not block, or there is an error or hang-up to be read.
        public let readable: Bool
        /// Writing will not block.
        public let writable: Bool
    }

    private let epoll: Int32
    private var buffer = [epoll_event](repeating: epoll_event(), count: 256)

    /// Opens the epoll descriptor; traps only when the process is out of descriptors at start-up.
    public init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        precondition(epoll >= 0, "epoll_create1: errno \(crl_errno())")
    }

    deinit { close(epoll) }

    /// Watches `descriptor`; `writable` asks for write readiness too.
    public func add(_ descriptor: Int32, tag: UInt64, writable: Bool = false) {
        control(EPOLL_CTL_ADD, descriptor, tag, writable)
    }

    /// Changes whether write readiness is wanted.
    public func change(_ descriptor: Int32, tag: UInt64, writable: Bool) {
        control(EPOLL_CTL_MOD, descriptor, tag, writable)
    }

    /// Stops watching; call before closing the descriptor.
    public func remove(_ descriptor: Int32) {
        var event = epoll_event()
        epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event)
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ tag: UInt64, _ writable: Bool) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (writable ? EPOLLOUT.rawValue : 0)
        event.data.u64 = tag
        epoll_ctl(epoll, operation, descriptor, &event)
    }

    /// Waits up to `milliseconds` (-1: for ever, 0: not at all) and calls `body` for each ready descriptor.
    public func wait(milliseconds: Int32, _ body: (Readiness) -> Void) {
        let count = epoll_wait(epoll, &buffer, Int32(buffer.count), milliseconds)
        guard count > 0 else { return }
        let failed = EPOLLERR.rawValue | EPOLLHUP.rawValue
        for event in buffer[0..<Int(count)] {
            body(
                Readiness(
                    tag: event.data.u64,
                    readable: event.events & (EPOLLIN.rawValue | failed) != 0,
                    writable: event.events & (EPOLLOUT.rawValue | failed) != 0))
        }
    }
}
