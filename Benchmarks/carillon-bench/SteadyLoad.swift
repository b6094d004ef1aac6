import CLinux
import CarillonClient
import Codes
import Loops
import Wire

/// Publishes at a fixed rate to clients in turn, whatever the nodes do.
final class SteadyLoad: Sendable {
    private struct State {
        var number: Int
        var refused = 0
        var latencies: [Int64] = []
        var starts: [UInt64: Int64] = [:]
    }

    private static let stepMilliseconds: Int64 = 10

    private let state: Lock<State>
    private let producers = Lock<[CarillonProducer]>([])
    private let targets: [Target]

    /// Makes a client of each settings, and waits until the nodes answer. Event IDs are numbers above `from`.
    init(_ settings: [ProducerSettings], keys: Int, from: Int) throws(Fault) {
        state = Lock(State(number: from))
        targets = (0..<keys).compactMap { Target(app: "cricket", kind: .activity, name: "match/\($0)") }
        for settings in settings {
            let producer = try CarillonProducer(settings) { [weak self] in self?.take($0) }
            producers.withLock { $0.append(producer) }
            _ = try NodeBench.wait { () async throws(Refusal) in try await producer.ping() }
        }
    }

    /// Publishes for so long; returns with the last events still under way.
    func run(perSecond: Int, milliseconds: Int64) {
        let begun = Clock.bootMilliseconds()
        var published = 0
        var passed: Int64 = 0
        while passed < milliseconds {
            let due = Int(Int64(perSecond) * passed / 1000)
            if due > published { submit(due - published) }
            published = max(due, published)
            poll(nil, 0, Int32(Self.stepMilliseconds))
            passed = Clock.bootMilliseconds() - begun
        }
    }

    private func submit(_ count: Int) {
        let producers = producers.withLock { $0 }
        for (place, producer) in producers.enumerated() {
            let batch = state.withLock { state in
                (0..<count / producers.count + (place < count % producers.count ? 1 : 0)).map { _ in event(&state) }
            }
            guard !batch.isEmpty, !producer.submit(batch) else { continue }
            state.withLock { $0.refused += batch.count }
        }
    }

    private func event(_ state: inout State) -> (tag: UInt64, event: Publish) {
        state.number += 1
        let (tag, target) = (UInt64(state.number), targets[state.number % targets.count])
        state.starts[tag] = Clock.monotonicNanoseconds()
        return (
            tag,
            Publish(
                target: target, id: NodeBench.identifier(state.number), payload: NodeBench.payload(state.number))
        )
    }

    private func take(_ results: [PublishResult]) {
        let now = Clock.monotonicNanoseconds()
        state.withLock { state in
            for result in results {
                guard let start = state.starts.removeValue(forKey: result.tag) else { continue }
                if case .success = result.result { state.latencies.append(now - start) } else { state.refused += 1 }
            }
        }
    }

    /// Nanoseconds from handing over to the acks since the last call, shortest first, and how many were refused.
    func takeFigures() -> (latencies: [Int64], refused: Int) {
        state.withLock { state in
            defer { (state.latencies, state.refused) = ([], 0) }
            return (state.latencies.sorted(), state.refused)
        }
    }
}
