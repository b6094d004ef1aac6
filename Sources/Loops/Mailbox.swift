/// A bounded queue from any thread to one loop, taken over whole: a lock, an array, and a wake-up only when the reader
/// may be asleep.
///
/// Elements keep their order per sender. When `capacity` would be exceeded nothing is taken and `post` says so; the
/// caller decides what overflow means and counts it.
public final class Mailbox<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var signalled = false
        var closed = false
        var posted: UInt64 = 0
    }

    private let state = Lock(State())
    /// Wakes the reader; several mailboxes of one loop may share it.
    public let wakeup: Wakeup
    /// Most elements that may wait.
    public let capacity: Int

    /// Makes a mailbox for at most `capacity` waiting elements that wakes its reader through `wakeup`.
    public init(capacity: Int, wakeup: Wakeup = Wakeup()) {
        precondition(capacity > 0)
        self.capacity = capacity
        self.wakeup = wakeup
    }

    /// Adds one element; false when the mailbox is full or closed.
    @discardableResult
    public func post(_ element: Element) -> Bool {
        add(1) { $0.append(element) }
    }

    /// Adds a batch in order, all or nothing; false when it does not fit or the mailbox is closed.
    @discardableResult
    public func post(_ batch: [Element]) -> Bool {
        batch.isEmpty ? true : add(batch.count) { $0.append(contentsOf: batch) }
    }

    private func add(_ count: Int, _ append: (inout [Element]) -> Void) -> Bool {
        let (accepted, wake) = state.withLock { state in
            guard !state.closed, state.elements.count + count <= capacity else { return (false, false) }
            append(&state.elements)
            state.posted += UInt64(count)
            defer { state.signalled = true }
            return (true, !state.signalled)
        }
        if wake { wakeup.signal() }
        return accepted
    }

    /// Hands everything that waits to the reader by swapping arrays: `batch` is emptied and its storage kept for
    /// senders.
    public func take(into batch: inout [Element]) {
        batch.removeAll(keepingCapacity: true)
        state.withLock { state in
            swap(&state.elements, &batch)
            state.signalled = false
        }
    }

    /// Refuses everything from now on; what waits can still be taken.
    public func close() {
        state.withLock { $0.closed = true }
    }

    /// Whether `close` was called.
    public var isClosed: Bool { state.withLock { $0.closed } }

    /// How many elements were taken in since it was made: a place in the order of all of them.
    public var posted: UInt64 { state.withLock { $0.posted } }

    /// How many elements wait at this moment.
    public var count: Int { state.withLock { $0.elements.count } }
}
