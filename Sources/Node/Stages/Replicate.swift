internal import Cluster
internal import Codes
internal import Delivery
internal import Loops
internal import Storage
internal import Telemetry

/// Replicate: the core has given a version and a stamp; here its rows go to the disk, and word comes back when they are
/// there. One turn is one batch, and the store makes one transaction of all batches that wait: group commit.
extension CoreLoop {
    /// Hands a turn's rows to the store. A full store is a failed batch: its events are refused, never half accepted.
    func write(_ batch: UInt64, _ writes: [Cluster.StoreWrite], isRetry: Bool) {
        let rows = writes.map { Storage.StoreWrite(kind: $0.kind.rawValue, key: $0.key, value: $0.value) }
        lastBatch = batch
        if isRetry { storeIsBehind = false }
        // What comes behind a batch that was turned away must not be kept without it.
        if storeIsBehind || !store.submit(StoreBatch(number: batch, writes: rows, isRetry: isRetry)) {
            storeIsBehind = true
            counters.storeFull += 1
            commits.post(.refused(batch: batch))
        }
    }

    /// Tells the core what became durable, in the order of the commits.
    func takeCommits(now: Moment) {
        commits.take(into: &commitBatch)
        for commit in commitBatch {
            switch commit {
            case .transaction(let upTo, nil):
                durableBatch = upTo
                reportedBatch = upTo
                core.handle(.stored(batch: upTo), now: now, into: &effects)
            case .transaction(let upTo, .some(let failure)):
                let first = reportedBatch + 1
                reportedBatch = upTo
                log.error(
                    "batches not stored", stage: .replicate,
                    ["batch": .count(first), "code": .string(failure.code.id), "error": .text(failure)])
                core.handle(.storeFailed(batch: first), now: now, into: &effects)
            case .refused(let batch):
                core.handle(.storeFailed(batch: batch), now: now, into: &effects)
            }
        }
    }
}

/// What the store says.
enum Commit: Sendable {
    /// All batches up to this one that were not reported before are durable, or none of them is.
    case transaction(upTo: UInt64, failure: Fault?)
    /// The store's queue was full: nothing of this batch will be written.
    case refused(batch: UInt64)
}
