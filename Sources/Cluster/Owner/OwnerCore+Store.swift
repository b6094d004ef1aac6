import Delivery
import Wire

/// Batches that could not be written: their rows wait to be written again, and what waited for them waits on.
struct FailedBatches: Sendable {
    var writes: [StoreWrite] = []
    var held: [CoreEffect] = []
    /// In milliseconds since boot; nil when nothing failed.
    var retryAt: Int64?

    var isEmpty: Bool { retryAt == nil }
}

/// Replicate: what is written when, and what waits for it.
extension OwnerCore {
    private var hasOpenWrites: Bool {
        !openWrites.isEmpty || !dirtyRecords.isEmpty || !dirtySettlements.isEmpty
    }

    /// The last batch that holds anything written so far.
    private var lastBatch: UInt64 { hasOpenWrites ? openBatch : openBatch - 1 }

    /// Lets an effect out once everything written so far is durable.
    mutating func afterWrites(_ effect: CoreEffect, into effects: inout [CoreEffect]) {
        guard failed.isEmpty else { return failed.held.append(effect) }
        if lastBatch <= durableBatch {
            effects.append(effect)
        } else {
            gate.hold(effect, until: lastBatch)
        }
    }

    /// Lets an effect out once `batch` is durable.
    mutating func after(_ batch: UInt64, _ effect: CoreEffect, into effects: inout [CoreEffect]) {
        guard failed.isEmpty else { return failed.held.append(effect) }
        if batch <= durableBatch {
            effects.append(effect)
        } else {
            counters.pinned += 1
            gate.hold(effect, until: batch)
        }
    }

    /// The newest record of a slot is to be written in this batch.
    mutating func touchRecord(_ slot: Int) {
        slots[slot].batch = openBatch
        guard slots[slot].recordIsDirty == false else { return }
        slots[slot].recordIsDirty = true
        dirtyRecords.append(slot)
    }

    /// The outcomes of a slot are to be written in this batch.
    mutating func touchSettlement(_ slot: Int) {
        guard slots[slot].settlementIsDirty == false else { return }
        slots[slot].settlementIsDirty = true
        dirtySettlements.append(slot)
    }

    mutating func closeBatch(into effects: inout [CoreEffect]) {
        // A batch that waits to be written again holds older values of the same rows: nothing may overtake it.
        guard hasOpenWrites, failed.isEmpty else { return }
        encodeDirty()
        guard !openWrites.isEmpty else { return }
        let writes = openWrites
        openWrites = []
        effects.append(.store(batch: openBatch, writes: writes, isRetry: openBatchIsRetry))
        openBatchIsRetry = false
        batchesUnderWay.append((openBatch, writes))
        openBatch += 1
    }

    private mutating func encodeDirty() {
        // First, because a record's row holds the outcomes as well.
        for slot in dirtySettlements {
            slots[slot].settlementIsDirty = false
            guard slots[slot].isUsed, !slots[slot].recordIsDirty, slots[slot].record?.version != nil else { continue }
            openWrites.append(
                StoreWrite(
                    kind: .settlement, key: Array(slots[slot].key.nameBytes),
                    value: SmallRows.encodeSettlement(slots[slot].recent)))
        }
        for slot in dirtyRecords {
            slots[slot].recordIsDirty = false
            guard slots[slot].isUsed, slots[slot].record?.version != nil else { continue }
            openWrites.append(
                StoreWrite(
                    kind: .record, key: Array(slots[slot].key.nameBytes),
                    value: RecordCodec.encode(slots[slot].record!, recent: slots[slot].recent)))
        }
        dirtyRecords.removeAll(keepingCapacity: true)
        dirtySettlements.removeAll(keepingCapacity: true)
    }

    mutating func stored(upTo batch: UInt64, into effects: inout [CoreEffect]) {
        // A batch that was given up after an earlier one failed is written again under a later number.
        guard let last = batchesUnderWay.last(where: { $0.batch <= batch })?.batch else { return }
        batchesUnderWay.removeAll { $0.batch <= last }
        durableBatch = max(durableBatch, last)
        gate.open(upTo: durableBatch, into: &effects)
    }

    /// Nothing of the batch and of those behind it counts as stored; events are refused, everything else waits for the
    /// repetition.
    mutating func storeFailed(_ batch: UInt64, now: Moment, into effects: inout [CoreEffect]) {
        guard batchesUnderWay.contains(where: { $0.batch == batch }) else { return }
        let given = batchesUnderWay.filter { $0.batch >= batch }
        batchesUnderWay.removeAll { $0.batch >= batch }
        counters.storeFailures += 1
        failed.retryAt = now.bootMilliseconds + settings.storeRetryMilliseconds
        failed.writes = given.flatMap(\.writes) + failed.writes
        effects.append(.notice(.storeFailed(batch: batch, writes: failed.writes.count)))
        for effect in gate.takeAll(from: batch) {
            switch effect {
            case .reply(let origin, .acknowledged), .reply(let origin, .acknowledgedBoth):
                refuseNotStored(origin, into: &effects)
            default: failed.held.append(effect)
            }
        }
    }

    /// Writes failed rows again, in their order and before anything newer.
    mutating func retryFailedBatches(now: Moment) {
        guard let retryAt = failed.retryAt, retryAt <= now.bootMilliseconds else { return }
        openWrites = failed.writes + openWrites
        let held = failed.held
        failed = FailedBatches()
        openBatchIsRetry = true
        for effect in held { gate.hold(effect, until: openBatch) }
        for slot in slots.indices where slots[slot].isUsed {
            if slots[slot].batch > durableBatch { slots[slot].batch = openBatch }
            if slots[slot].offeredBatch > durableBatch { slots[slot].offeredBatch = openBatch }
        }
        for slot in importants.keys where (importants[slot]?.batch ?? 0) > durableBatch {
            importants[slot]?.batch = openBatch
        }
    }
}
