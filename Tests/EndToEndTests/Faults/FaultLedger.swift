import CarillonClient
import Codes
import Loops
import Wire

/// What the producer knows of each key, and when APNs took its events. Results and receipts come on other threads.
final class FaultLedger: Sendable {
    /// One key.
    struct Entry {
        /// Newest counter handed over.
        var handed = 0
        /// Newest counter acknowledged.
        var acknowledged = 0
        /// When APNs took an event of it last, in milliseconds since 1970.
        var acceptedAt: Int64 = 0
        /// The longest time between two of these moments.
        var gapMilliseconds: Int64 = 0
        /// From the mark to the first of these moments after it.
        var servedAfterMilliseconds: Int64?
    }

    struct State {
        var entries: [Entry]
        /// Keys that APNs has taken an event of.
        var accepted = 0
        /// Keys that it has taken an event of since the mark.
        var served = 0
        /// Receipts by outcome.
        var receipts: [String: Int] = [:]
        var submitted = 0
        var results = 0
        /// Counter and code by key.
        var refusals: [(key: Int, counter: Int, code: String)] = []
        var markedAt: Int64?
        var worstAckMilliseconds: Int64 = 0
        var lastAckAt: Int64 = 0
    }

    private let state: Lock<State>
    private let keys: [[UInt8]: Int]

    init(_ plan: FaultPlan) {
        state = Lock(State(entries: [Entry](repeating: Entry(), count: plan.keys)))
        var keys: [[UInt8]: Int] = [:]
        for key in 0..<plan.keys { keys[Self.index(key < plan.channels ? .channel : .activity, plan.name(key))] = key }
        self.keys = keys
    }

    private static func index(_ kind: Key.Kind, _ name: String) -> [UInt8] { Array((kind.name + name).utf8) }

    var current: State { state.withLock { $0 } }
    var isSettled: Bool { state.withLock { $0.results == $0.submitted } }
    var accepted: Int { state.withLock { $0.accepted } }

    /// From now on the next acceptance of each key counts as being served again.
    func mark() {
        let now = Clock.wallMilliseconds()
        state.withLock { state in
            (state.markedAt, state.served) = (now, 0)
            for key in state.entries.indices { state.entries[key].servedAfterMilliseconds = nil }
        }
    }

    /// Keys that APNs has not taken an event of since the mark.
    var unserved: Int { state.withLock { $0.entries.count - $0.served } }

    /// How far everything is, for the report of a failure.
    var summary: String {
        state.withLock { state in
            let codes = Dictionary(grouping: state.refusals, by: \.code).mapValues(\.count)
            return "\(state.submitted) events, \(state.results) results, \(state.accepted) keys accepted, "
                + "\(state.served) since the mark, receipts \(state.receipts), refusals \(codes)"
        }
    }

    // MARK: Events

    /// The next counters of some keys, which count as handed over.
    func next(_ keys: [Int]) -> [Int] {
        state.withLock { state in
            state.submitted += keys.count
            return keys.map { key in
                state.entries[key].handed += 1
                return state.entries[key].handed
            }
        }
    }

    /// The client had no room for the batch: its counters were never used.
    func takeBack(_ keys: [Int]) {
        state.withLock { state in
            state.submitted -= keys.count
            for key in keys { state.entries[key].handed -= 1 }
        }
    }

    func take(_ results: [PublishResult]) {
        let now = Clock.wallMilliseconds()
        state.withLock { state in
            for result in results { Self.take(result, &state, now) }
        }
    }

    private static func take(_ result: PublishResult, _ state: inout State, _ now: Int64) {
        let key = Int(result.tag >> 32)
        let counter = Int(result.tag & 0xffff_ffff)
        state.results += 1
        switch result.result {
        case .success:
            if state.lastAckAt > 0 {
                state.worstAckMilliseconds = max(state.worstAckMilliseconds, now - state.lastAckAt)
            }
            state.lastAckAt = now
            state.entries[key].acknowledged = max(state.entries[key].acknowledged, counter)
        case .failure(let refusal): state.refusals.append((key, counter, refusal.fault.code.slug))
        }
    }

    func take(_ receipts: [EventReport]) {
        state.withLock { state in
            for receipt in receipts {
                state.receipts[receipt.outcome.rawValue, default: 0] += 1
                guard receipt.outcome == .apnsAccepted else { continue }
                guard let key = keys[Self.index(receipt.key.kind, receipt.key.name)] else { continue }
                Self.accept(key, at: receipt.atMilliseconds, &state)
            }
        }
    }

    private static func accept(_ key: Int, at moment: Int64, _ state: inout State) {
        let before = state.entries[key].acceptedAt
        if before == 0 { state.accepted += 1 }
        if before > 0 { state.entries[key].gapMilliseconds = max(state.entries[key].gapMilliseconds, moment - before) }
        state.entries[key].acceptedAt = max(before, moment)
        if let mark = state.markedAt, moment >= mark, state.entries[key].servedAfterMilliseconds == nil {
            state.entries[key].servedAfterMilliseconds = moment - mark
            state.served += 1
        }
    }
}
