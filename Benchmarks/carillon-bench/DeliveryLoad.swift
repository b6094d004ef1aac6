import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// Publishes for channels at a fixed rate, whatever the node does, and takes the receipts.
///
/// Latencies count from the moment at which an event was due, so that a stall shows in every event that it held up.
final class DeliveryLoad: Sendable {
    /// What became of a run's events.
    struct Outcome: Sendable {
        var published = 0
        /// Nanoseconds from due to the receipt that APNs accepted it; sorted.
        var deliveries: [Int64] = []
        /// Nanoseconds from due to the acknowledgement; sorted.
        var acks: [Int64] = []
        var superseded = 0
        var refused = 0

        /// Neither delivered nor superseded.
        var others: Int { published - deliveries.count - superseded }

        /// In percent of what was published.
        func share(of count: Int) -> Double { Double(count) * 100 / Double(max(1, published)) }
    }

    private struct State {
        var outcome = Outcome()
        var first = 0
        var start: Int64 = 0
        var interval: Double = 0

        func due(_ number: Int) -> Int64 { start + Int64(Double(number - first) * interval) }
    }

    private let state = Lock(State())
    private let changed = Wakeup()
    /// Nobody signals it: a wait for it is a pause.
    private let tick = Wakeup()
    private let targets: [Target]
    private let payloads: [[UInt8]]
    private let producer: CarillonProducer
    private let number = Lock(1)

    /// Makes the channels and connects.
    init(_ settings: ProducerSettings, admin: ProducerSettings, channels: Int) throws(Fault) {
        let names = (0..<channels).map { "match/\($0)" }
        try Self.create(names, admin)
        targets = names.compactMap { Target(app: "cricket", kind: .channel, name: $0) }
        payloads = (0..<1000).map { NodeBench.payload($0) }
        let (state, changed) = (state, changed)
        var settings = settings
        settings.receiptBatches = 100_000
        producer = try CarillonProducer(settings) { results in
            let now = Clock.monotonicNanoseconds()
            state.withLock { state in
                for result in results {
                    if case .success = result.result {
                        state.outcome.acks.append(now - state.due(Int(result.tag)))
                    } else {
                        state.outcome.refused += 1
                    }
                }
            }
        }
        let receipts = producer.receipts
        Task.detached {
            for await batch in receipts {
                Self.take(batch, state)
                changed.signal()
            }
        }
        let producer = producer
        _ = try NodeBench.wait { () async throws(Refusal) in try await producer.ping() }
    }

    private static func take(_ batch: [EventReport], _ state: Lock<State>) {
        let now = Clock.monotonicNanoseconds()
        state.withLock { state in
            for report in batch {
                let number = NodeBench.number(report.id)
                guard number >= state.first else { continue }
                switch report.outcome {
                case .apnsAccepted: state.outcome.deliveries.append(now - state.due(number))
                case .superseded: state.outcome.superseded += 1
                default: break
                }
            }
        }
    }

    private static func create(_ names: [String], _ settings: ProducerSettings) throws(Fault) {
        var settings = settings
        settings.answerMilliseconds = 120_000
        let producer = try CarillonProducer(settings)
        try NodeBench.wait { () async throws(Refusal) in
            let failure = await withTaskGroup(of: Refusal?.self) { group in
                for lane in 0..<32 {
                    group.addTask {
                        do throws(Refusal) {
                            for name in stride(from: lane, to: names.count, by: 32).map({ names[$0] }) {
                                _ = try await producer.channel(
                                    ChannelRequest(
                                        action: .create, app: LocalCluster.app, channel: name, storage: .newest))
                            }
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(nil) { $0 ?? $1 }
            }
            if let failure { throw failure }
            await producer.close()
        }
    }

    /// Publishes `perSecond * seconds` events at their times and waits until all have an outcome, at most 5 s.
    func run(perSecond: Int, seconds: Int) throws(Fault) -> Outcome {
        let count = perSecond * seconds
        let first = number.withLock { number in
            defer { number += count }
            return number
        }
        let start = Clock.monotonicNanoseconds() + 20_000_000
        let interval = 1e9 / Double(perSecond)
        state.withLock { $0 = State(outcome: Outcome(), first: first, start: start, interval: interval) }
        var sent = 0
        while sent < count {
            let elapsed = Double(Clock.monotonicNanoseconds() - start)
            let due = min(count, elapsed < 0 ? 0 : Int(elapsed / interval) + 1)
            if due > sent {
                let batch = (sent..<due).map { event(first + $0) }
                guard producer.submit(batch) else { throw Fault(.overloaded, "the client's queue is full") }
                sent = due
            }
            NodeBench.pause(tick, milliseconds: 1)
        }
        let until = Clock.bootMilliseconds() + 5_000
        while Clock.bootMilliseconds() < until {
            let settled = state.withLock { $0.outcome.deliveries.count + $0.outcome.superseded + $0.outcome.refused }
            if settled >= count { break }
            NodeBench.pause(changed, milliseconds: 50)
        }
        return state.withLock { state in
            state.outcome.published = count
            state.outcome.deliveries.sort()
            state.outcome.acks.sort()
            return state.outcome
        }
    }

    private func event(_ number: Int) -> (tag: UInt64, event: Publish) {
        (
            UInt64(number),
            Publish(
                target: targets[number % targets.count], id: NodeBench.identifier(number),
                payload: payloads[number % payloads.count], receipts: true)
        )
    }
}
