import CLinux
import Loops

/// A thread that asks for the next events of all keys in turn at a steady rate, whatever becomes of them.
final class SteadyLoad: Sendable {
    private let thread = LoopThread(name: "load")
    private let stopping = Lock(false)
    private let held = Lock(0)

    /// Events that found no room in the client, because nobody took events for long.
    var heldBack: Int { held.withLock { $0 } }

    /// Calls `publish` with keys `0..<keys` in turn, so many events a second together; it returns false when the client
    /// had no room for them.
    func start(
        keys: Int, eventsPerSecond: Int, stepMilliseconds: Int32, publish: @escaping @Sendable ([Int]) -> Bool
    ) {
        thread.start { [self] in
            let began = Clock.bootMilliseconds()
            var done = 0
            while !stopping.withLock({ $0 }) {
                let due = Int(Clock.bootMilliseconds() - began) * eventsPerSecond / 1000
                if due > done {
                    if !publish((done..<due).map { $0 % keys }) { held.withLock { $0 += due - done } }
                    done = due
                }
                poll(nil, 0, stepMilliseconds)
            }
        }
    }

    /// Ends the load; everything handed over gets its result later.
    func stop() {
        stopping.withLock { $0 = true }
        thread.join()
    }
}
