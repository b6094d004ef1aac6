import Codes
import Loops
import Wire

/// Callers of the async interface that wait for a result, by number.
final class ClientWaiters: Sendable {
    private struct State {
        var next: UInt64 = 1
        var publishes: [UInt64: CheckedContinuation<Result<Ack, Refusal>, Never>] = [:]
        var requests: [UInt64: CheckedContinuation<Result<NodeMessage, Refusal>, Never>] = [:]
        var ready: Ready?
        var ends: [CheckedContinuation<Void, Never>] = []
        var hasEnded = false
    }

    private let state = Lock(State())

    func add(publish continuation: CheckedContinuation<Result<Ack, Refusal>, Never>) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.publishes[state.next] = continuation
            return state.next
        }
    }

    func add(request continuation: CheckedContinuation<Result<NodeMessage, Refusal>, Never>) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.requests[state.next] = continuation
            return state.next
        }
    }

    func settle(_ waiter: UInt64, _ result: Result<Ack, Refusal>) {
        state.withLock { $0.publishes.removeValue(forKey: waiter) }?.resume(returning: result)
    }

    func answer(_ waiter: UInt64, _ result: Result<NodeMessage, Refusal>) {
        state.withLock { $0.requests.removeValue(forKey: waiter) }?.resume(returning: result)
    }

    // MARK: The session

    func opened(_ ready: Ready) { state.withLock { $0.ready = ready } }

    var ready: Ready? { state.withLock { $0.ready } }

    /// The thread is at its end: nobody waits any longer.
    func end() {
        let left = state.withLock { state in
            defer {
                state.publishes = [:]
                state.requests = [:]
                state.ends = []
            }
            state.hasEnded = true
            return state
        }
        let refusal = Refusal(Fault(.clientClosed))
        for continuation in left.publishes.values { continuation.resume(returning: .failure(refusal)) }
        for continuation in left.requests.values { continuation.resume(returning: .failure(refusal)) }
        for continuation in left.ends { continuation.resume() }
    }

    /// Waits for the thread's end.
    func waitForEnd() async {
        await withCheckedContinuation { continuation in
            let ended = state.withLock { state in
                if !state.hasEnded { state.ends.append(continuation) }
                return state.hasEnded
            }
            if ended { continuation.resume() }
        }
    }
}
