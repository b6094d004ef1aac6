import CLinux
import CarillonClient
import Codes
import Loops
import Wire

/// What the producer knows: which event of each key was handed over, which is acknowledged. Also springs the trap that
/// kills the node at the very ack it waits for. Results come on the client's thread.
final class Ledger: Sendable {
    /// Kills a process when so many events are acknowledged, or when every event has its result.
    fileprivate struct Trap {
        let acks: Int?
        let process: Int32

        func springs(_ state: State) -> Bool { acks.map { state.acks >= $0 } ?? (state.results == state.submitted) }
    }

    struct State {
        /// Newest counter handed over, by key.
        var handed: [Int]
        /// Newest counter acknowledged, by key.
        var acknowledged: [Int]
        /// Events handed over.
        var submitted = 0
        /// Events with a result.
        var results = 0
        /// Events acknowledged.
        var acks = 0
        /// Of them answered as repeated: the ack of the first try was lost.
        var repeated = 0
        /// Refusals: counter and code by key.
        var refusals: [(key: Int, counter: Int, code: String)] = []
        /// Milliseconds from each start of the node to its first ack.
        var firstAckMilliseconds: [Int64] = []
        fileprivate var trap: Trap?
        fileprivate var startedAt: Int64?
    }

    private let state: Lock<State>

    init(keys: Int) {
        state = Lock(State(handed: [Int](repeating: 0, count: keys), acknowledged: [Int](repeating: 0, count: keys)))
    }

    var current: State { state.withLock { $0 } }
    var acks: Int { state.withLock { $0.acks } }
    var isSettled: Bool { state.withLock { $0.results == $0.submitted } }

    static func tag(_ key: Int, _ counter: Int) -> UInt64 { UInt64(key) << 32 | UInt64(counter) }

    /// The next counter of a key, which counts as handed over.
    func next(_ key: Int) -> Int {
        state.withLock { state in
            state.handed[key] += 1
            state.submitted += 1
            return state.handed[key]
        }
    }

    /// The client had no room for the batch: its counters were never used.
    func takeBack(_ keys: [Int]) {
        state.withLock { state in
            state.submitted -= keys.count
            for key in keys { state.handed[key] -= 1 }
        }
    }

    /// The node was started at this moment; the next ack is its first.
    func nodeStarted(at milliseconds: Int64) { state.withLock { $0.startedAt = milliseconds } }

    /// Kills `process` with the ack that is `count` acks away.
    func arm(after count: Int, process: Int32) {
        state.withLock { $0.trap = Trap(acks: $0.acks + count, process: process) }
    }

    /// Kills `process` with the last result of all that was handed over.
    func armForTheLast(process: Int32) {
        state.withLock { state in
            state.trap = Trap(acks: nil, process: process)
            Self.spring(&state)
        }
    }

    private static func spring(_ state: inout State) {
        guard let trap = state.trap, trap.springs(state) else { return }
        kill(trap.process, SIGKILL)
        state.trap = nil
    }

    /// Whether the trap has sprung.
    var hasSprung: Bool { state.withLock { $0.trap == nil } }

    /// Takes results from the client.
    func take(_ results: [PublishResult]) {
        let now = Clock.bootMilliseconds()
        state.withLock { state in
            for result in results { Self.take(result, &state, now) }
        }
    }

    private static func take(_ result: PublishResult, _ state: inout State, _ now: Int64) {
        let key = Int(result.tag >> 32)
        let counter = Int(result.tag & 0xffff_ffff)
        state.results += 1
        switch result.result {
        case .success(let ack):
            state.acks += 1
            if ack.repeated { state.repeated += 1 }
            state.acknowledged[key] = max(state.acknowledged[key], counter)
            if let startedAt = state.startedAt {
                state.firstAckMilliseconds.append(now - startedAt)
                state.startedAt = nil
            }
        case .failure(let refusal):
            state.refusals.append((key, counter, refusal.fault.code.slug))
        }
        spring(&state)
    }
}
