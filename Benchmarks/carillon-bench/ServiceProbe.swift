import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// Publishes to one key of each of some shards again and again and notes when each was acknowledged: the time between
/// two acks of a shard is time without service but for the pause between two probes.
final class ServiceProbe: Sendable {
    /// What was seen of one shard, in nanoseconds of the monotonic clock.
    private struct Row {
        let target: Target
        var lastAck: Int64
        var longestGap: Int64 = 0
        var firstAck: Int64?
        var isAsked = false
    }

    private struct State {
        var rows: [UInt16: Row] = [:]
        var number: Int
        var refusals = 0
    }

    /// Below the time after which a node says to come again: the client then repeats nothing by itself.
    private static let answerMilliseconds: Int64 = 190

    private static let batchMax = 512

    private let state: Lock<State>
    private let producer = Lock<CarillonProducer?>(nil)

    /// Connects to the settings' node. Event IDs are numbers above `from`.
    init(_ settings: ProducerSettings, from: Int) throws(Fault) {
        state = Lock(State(number: from))
        var settings = settings
        settings.answerMilliseconds = Self.answerMilliseconds
        let producer = try CarillonProducer(settings) { [weak self] in self?.take($0) }
        self.producer.withLock { $0 = producer }
        for _ in 0..<50 where (try? NodeBench.wait { () async throws(Refusal) in try await producer.ping() }) == nil {}
    }

    /// Watches these shards from now on and no others.
    func watch(_ targets: [UInt16: Target]) {
        let now = Clock.monotonicNanoseconds()
        state.withLock { state in state.rows = targets.mapValues { Row(target: $0, lastAck: now) } }
    }

    /// From now on counts anew: first acks and longest gaps. An event that is on its way may still be acknowledged for
    /// what was before; wait for those first.
    func mark() {
        let now = Clock.monotonicNanoseconds()
        state.withLock { state in
            for shard in state.rows.keys {
                state.rows[shard]?.firstAck = nil
                state.rows[shard]?.longestGap = 0
                state.rows[shard]?.lastAck = now
            }
        }
    }

    /// Publishes to watched shards that wait for no answer, so many at a time that a busy node answers them in time;
    /// only to those without an ack since the mark, if wanted.
    func probe(onlyUnserved: Bool) {
        let batch = state.withLock { state in
            var batch: [(tag: UInt64, event: Publish)] = []
            for (shard, row) in state.rows where !row.isAsked && (!onlyUnserved || row.firstAck == nil) {
                guard batch.count < Self.batchMax else { break }
                state.rows[shard]?.isAsked = true
                state.number += 1
                let event = Publish(
                    target: row.target, id: NodeBench.identifier(state.number), payload: NodeBench.payload(state.number)
                )
                batch.append((UInt64(shard), event))
            }
            return batch
        }
        if !batch.isEmpty { _ = producer.withLock { $0 }?.submit(batch) }
    }

    private func take(_ results: [PublishResult]) {
        let now = Clock.monotonicNanoseconds()
        state.withLock { state in
            for result in results {
                let shard = UInt16(truncatingIfNeeded: result.tag)
                state.rows[shard]?.isAsked = false
                guard case .success = result.result else {
                    state.refusals += 1
                    continue
                }
                guard let row = state.rows[shard] else { continue }
                state.rows[shard]?.longestGap = max(row.longestGap, now - row.lastAck)
                state.rows[shard]?.lastAck = now
                if row.firstAck == nil { state.rows[shard]?.firstAck = now }
            }
        }
    }

    /// Watched shards without an ack since the mark.
    var unserved: Int { state.withLock { $0.rows.values.count { $0.firstAck == nil } } }
    /// Watched shards whose last ack is older than that.
    func unserved(since nanoseconds: Int64) -> Int {
        state.withLock { $0.rows.values.count { $0.lastAck < nanoseconds } }
    }
    /// Watched shards.
    var count: Int { state.withLock { $0.rows.count } }
    /// When the first shard was served after the mark; nil: none yet.
    var firstServed: Int64? { state.withLock { $0.rows.values.compactMap(\.firstAck).min() } }
    /// When the last of them was.
    var lastServed: Int64? { state.withLock { $0.rows.values.compactMap(\.firstAck).max() } }
    /// The longest time between two acks of each shard since the mark, shortest first.
    var longestGaps: [Int64] { state.withLock { $0.rows.values.map(\.longestGap).sorted() } }
}
