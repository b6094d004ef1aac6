/// Until when this node may write to the outside: the end of its lease, set by whoever keeps the lease and read right
/// before bytes leave. Boot time counts what the machine slept.
///
/// Threads: any.
public final class SendFence: Sendable {
    private let deadline: Lock<Int64>

    /// Open until then, in milliseconds since boot; `Int64.max`: until somebody says otherwise.
    public init(openUntilBootMilliseconds deadline: Int64) {
        self.deadline = Lock(deadline)
    }

    /// Opens it until then, or shuts it when that is past.
    public func set(openUntilBootMilliseconds deadline: Int64) {
        self.deadline.withLock { $0 = deadline }
    }

    /// Reads the clock: whether bytes may leave at this moment.
    public var isOpen: Bool {
        let deadline = deadline.withLock { $0 }
        return deadline == .max || Clock.bootMilliseconds() < deadline
    }
}
