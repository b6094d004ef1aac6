import CarillonClient
import Codes
import Loops
import Wire

/// A closed loop over the pipelined interface of one client: each answer makes room for the next event.
final class AckLoad: Sendable {
    private struct State {
        var window = 0
        var left = 0
        var until: Int64 = 0
        var number = 0
        var inFlight = 0
        var refused: Refusal?
        var starts: [Int64] = []
        var latencies: [Int64] = []
    }

    private let state = Lock(State())
    private let done = Wakeup()
    private let targets: [Target]
    private let payloads: [[UInt8]]
    private let producer = Lock<CarillonProducer?>(nil)

    /// Connects and waits until the node answers.
    init(_ settings: ProducerSettings, keys: Int) throws(Fault) {
        targets = (0..<keys).compactMap { Target(app: "cricket", kind: .activity, name: "match/\($0)") }
        payloads = (0..<1000).map { NodeBench.payload($0) }
        let producer = try CarillonProducer(settings) { [weak self] in self?.take($0) }
        self.producer.withLock { $0 = producer }
        _ = try NodeBench.wait { () async throws(Refusal) in try await producer.ping() }
    }

    /// Publishes with `window` events in flight until `count` are answered or the time is over, then waits for the
    /// rest.
    func run(window: Int, count: Int, milliseconds: Int64) throws(Fault) {
        let first = state.withLock { state in
            state.window = window
            state.left = count
            state.until = Clock.monotonicNanoseconds() + milliseconds * 1_000_000
            state.latencies.removeAll(keepingCapacity: true)
            state.starts = Array(repeating: 0, count: window)
            return (0..<min(window, count)).map { event(UInt64($0), &state, Clock.monotonicNanoseconds()) }
        }
        _ = producer.withLock { $0 }?.submit(first)
        while state.withLock({ $0.inFlight > 0 }) { NodeBench.pause(done, milliseconds: 1_000) }
        if let refused = state.withLock({ $0.refused }) { throw refused.fault }
    }

    /// Nanoseconds from handing over to the answer, of the last run.
    var latencies: [Int64] { state.withLock { $0.latencies } }

    private func take(_ results: [PublishResult]) {
        let (next, ended) = state.withLock { state in
            let now = Clock.monotonicNanoseconds()
            var next: [(tag: UInt64, event: Publish)] = []
            next.reserveCapacity(results.count)
            for result in results {
                state.inFlight -= 1
                if case .failure(let refusal) = result.result { state.refused = refusal }
                state.latencies.append(now - state.starts[Int(result.tag)])
                if now < state.until, state.left > 0, state.refused == nil {
                    next.append(event(result.tag, &state, now))
                }
            }
            return (next, state.inFlight == 0)
        }
        if !next.isEmpty { _ = producer.withLock { $0 }?.submit(next) }
        if ended { done.signal() }
    }

    private func event(_ tag: UInt64, _ state: inout State, _ now: Int64) -> (tag: UInt64, event: Publish) {
        state.number += 1
        state.left -= 1
        state.inFlight += 1
        state.starts[Int(tag)] = now
        let number = state.number
        return (
            tag,
            Publish(
                target: targets[number % targets.count], id: NodeBench.identifier(number),
                payload: payloads[number % payloads.count])
        )
    }
}
