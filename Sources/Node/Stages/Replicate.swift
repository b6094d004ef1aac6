internal import Cluster
internal import Codes
internal import Delivery
internal import Loops
internal import Storage
internal import Telemetry

/// Replicate: the core has given a version and a stamp; here its rows go to the disk, and word comes back when they are there. One turn
/// is one batch, and the store makes one transaction of all batches that wait: group commit.
extension CoreLoop {
    /// Hands a turn's rows to the store. A full store is a failed batch: its events are refused, never half accepted.
    func write(_ batch: UInt64, _ writes: [Cluster.StoreWrite]) {
        let rows = writes.map { Storage.StoreWrite(kind: $0.kind.rawValue, key: $0.key, value: $0.value) }
        lastBatch = batch
        if !store.submit(StoreBatch(number: batch, writes: rows)) {
            counters.storeFull += 1
            commits.post(Commit(batch: batch, failure: Fault(.overloaded, "the store's queue is full")))
        }
    }

    /// Tells the core what became durable, in the order of the commits.
    func takeCommits(now: Moment) {
        commits.take(into: &commitBatch)
        for commit in commitBatch {
            if let failure = commit.failure {
                log.error(
                    "batch not stored", stage: .replicate,
                    ["batch": .count(commit.batch), "code": .string(failure.code.id), "error": .text(failure)])
                core.handle(.storeFailed(batch: commit.batch), now: now, into: &effects)
            } else {
                durableBatch = max(durableBatch, commit.batch)
                core.handle(.stored(batch: commit.batch), now: now, into: &effects)
            }
        }
    }
}

/// What the store says of a batch.
struct Commit: Sendable {
    let batch: UInt64
    let failure: Fault?
}
