import CarillonClient
import Codes
import Loops
import Wire

/// A closed loop over the pipelined interface of one or more clients: each answer makes room for the next event.
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
    /// The client of each target; nil: events go to the clients in turn.
    private let clients: [Int]?
    private let producers = Lock<[CarillonProducer]>([])

    /// Makes a client of each settings, and waits until the nodes answer. `from`: event IDs are numbers above this one.
    /// `noteBytes`: length of the payloads' notes; all else takes some 280 bytes. `choose`: the client for a name; nil:
    /// the clients take turns.
    init(
        _ settings: [ProducerSettings], keys: Int, from: Int = 0, noteBytes: Int = 24, choose: ((Target) -> Int)? = nil
    ) throws(Fault) {
        state.withLock { $0.number = from }
        let targets = (0..<keys).compactMap { Target(app: "cricket", kind: .activity, name: "match/\($0)") }
        self.targets = targets
        payloads = (0..<1000).map { NodeBench.payload($0, noteBytes: noteBytes) }
        clients = choose.map { choose in targets.map(choose) }
        for settings in settings {
            let producer = try CarillonProducer(settings) { [weak self] in self?.take($0) }
            producers.withLock { $0.append(producer) }
            _ = try NodeBench.wait { () async throws(Refusal) in try await producer.ping() }
        }
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
        submit(first)
        while state.withLock({ $0.inFlight > 0 }) { NodeBench.pause(done, milliseconds: 1_000) }
        if let refused = state.withLock({ $0.refused }) { throw refused.fault }
    }

    /// Nanoseconds from handing over to the answer, of the last run.
    var latencies: [Int64] { state.withLock { $0.latencies } }

    private func take(_ results: [PublishResult]) {
        let (next, ended) = state.withLock { state in
            let now = Clock.monotonicNanoseconds()
            var next: [Item] = []
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
        submit(next)
        if ended { done.signal() }
    }

    /// An event with the client that it goes to.
    private typealias Item = (client: Int, tag: UInt64, event: Publish)

    private func submit(_ items: [Item]) {
        guard !items.isEmpty else { return }
        let producers = producers.withLock { $0 }
        for (index, producer) in producers.enumerated() {
            let own = items.filter { $0.client % producers.count == index }.map { (tag: $0.tag, event: $0.event) }
            if !own.isEmpty { _ = producer.submit(own) }
        }
    }

    private func event(_ tag: UInt64, _ state: inout State, _ now: Int64) -> Item {
        state.number += 1
        state.left -= 1
        state.inFlight += 1
        state.starts[Int(tag)] = now
        let number = state.number
        let place = number % targets.count
        return (
            clients?[place] ?? number, tag,
            Publish(
                target: targets[place], id: NodeBench.identifier(number), payload: payloads[number % payloads.count])
        )
    }
}
