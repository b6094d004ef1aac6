/// Time-outs that all have the same length, for example of every request on an apns loop. Because the length never
/// changes, deadlines come in the order of starting, and a queue does what others need a timer wheel for: O(1) each.
///
/// A finished entry stays in the queue until its deadline passes or it reaches the front; the queue is therefore at most
/// as long as what was started within one time-out.
public struct TimeoutQueue: Sendable {
    /// How long an entry may take, in milliseconds; at least 1.
    public let timeoutMilliseconds: Int64

    private struct Entry {
        var identifier: UInt64
        var deadline: Int64
    }

    private var entries = FIFO<Entry>()
    private var running: Set<UInt64> = []
    private var latest = Int64.min

    /// Makes an empty queue.
    public init(timeoutMilliseconds: Int64) {
        self.timeoutMilliseconds = max(1, timeoutMilliseconds)
    }

    /// How many entries run.
    public var count: Int { running.count }

    /// Starts the time of `identifier`; one that runs already keeps its first deadline.
    public mutating func start(_ identifier: UInt64, now: Moment) {
        guard running.insert(identifier).inserted else { return }
        // A reading that goes backwards must not put a deadline before those in front of it.
        latest = max(latest, now.bootMilliseconds)
        entries.append(Entry(identifier: identifier, deadline: latest + timeoutMilliseconds))
    }

    /// Ends the time of `identifier`. Returns false if it did not run. An identifier must not be used again.
    @discardableResult
    public mutating func finish(_ identifier: UInt64) -> Bool {
        guard running.remove(identifier) != nil else { return false }
        dropFinished()
        return true
    }

    /// Takes out all entries whose time has passed, oldest first.
    public mutating func expire(now: Moment, into expired: inout [UInt64]) {
        while let first = entries.first, first.deadline <= now.bootMilliseconds || !running.contains(first.identifier) {
            entries.removeFirst()
            if running.remove(first.identifier) != nil { expired.append(first.identifier) }
        }
    }

    /// When the next entry runs out, in milliseconds since boot.
    public var nextDeadline: Int64? { entries.first?.deadline }

    private mutating func dropFinished() {
        while let first = entries.first, !running.contains(first.identifier) { entries.removeFirst() }
    }
}
