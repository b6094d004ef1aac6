import Delivery
import Wire

/// Replicate: what is written when, and what waits for it.
extension OwnerCore {
    /// Writes, or with nil deletes, a row of a name's shard.
    mutating func write(_ slot: Int, _ kind: StoredKind, _ key: [UInt8], _ value: [UInt8]?) {
        write(slots[slot].shard, kind, key, value)
    }

    /// Writes, or with nil deletes, a row found by the name itself.
    mutating func writeNamed(_ slot: Int, _ kind: StoredKind, _ value: [UInt8]?) {
        write(slots[slot].shard, kind, Array(slots[slot].key.nameBytes), value)
    }

    mutating func write(_ shard: UInt16, _ kind: StoredKind, _ key: [UInt8], _ value: [UInt8]?) {
        shards[Int(shard)].written = openBatch
        openWrites.append(ShardWrite(shard: shard, kind: kind.rawValue, key: key, value: value))
    }

    /// The rows of the shard are committed up to this batch.
    func committedBatch(_ shard: UInt16) -> UInt64 { max(shards[Int(shard)].committed, storedBatch) }

    /// Whether nothing of the shard waits for copies.
    func isCommitted(_ shard: UInt16) -> Bool { shards[Int(shard)].written <= committedBatch(shard) }

    /// Lets an effect out once everything written of the shard so far is committed.
    mutating func afterWrites(_ shard: UInt16, _ effect: CoreEffect, into effects: inout [CoreEffect]) {
        if isCommitted(shard) || isLetOutEarly(effect) {
            effects.append(effect)
        } else {
            gate.hold(effect, shard, until: shards[Int(shard)].written)
        }
    }

    /// The same for everything written of two shards.
    mutating func afterWrites(
        _ first: UInt16, and second: UInt16, _ effect: CoreEffect, into effects: inout [CoreEffect]
    ) {
        if isCommitted(second) || first == second { return afterWrites(first, effect, into: &effects) }
        if isCommitted(first) { return afterWrites(second, effect, into: &effects) }
        guard !isLetOutEarly(effect) else { return effects.append(effect) }
        let place = shards[Int(second)]
        gate.hold(
            effect, first, until: shards[Int(first)].written,
            second: Gate.Second(shard: second, batch: place.written, adoption: place.adoption))
    }

    /// Lets an effect out once the shard's rows up to `batch` are committed.
    mutating func after(_ shard: UInt16, _ batch: UInt64, _ effect: CoreEffect, into effects: inout [CoreEffect]) {
        // A later batch than the last with rows of the shard holds nothing to wait for.
        let batch = min(batch, shards[Int(shard)].written)
        if batch <= committedBatch(shard) || isLetOutEarly(effect) {
            effects.append(effect)
        } else {
            counters.pinned += 1
            gate.hold(effect, shard, until: batch)
        }
    }

    private func isLetOutEarly(_ effect: CoreEffect) -> Bool {
        guard let mutant = settings.mutant else { return false }
        switch effect {
        case .reply: return mutant == .ackBeforeCommit
        case .offer: return mutant == .sendBeforeCommit
        default: return false
        }
    }

    /// The newest record of a slot is to be written in this batch.
    mutating func touchRecord(_ slot: Int) {
        slots[slot].batch = openBatch
        shards[Int(slots[slot].shard)].written = openBatch
        guard slots[slot].recordIsDirty == false else { return }
        slots[slot].recordIsDirty = true
        dirtyRecords.append(slot)
    }

    /// The outcomes of a slot are to be written in this batch.
    mutating func touchSettlement(_ slot: Int) {
        shards[Int(slots[slot].shard)].written = openBatch
        guard slots[slot].settlementIsDirty == false else { return }
        slots[slot].settlementIsDirty = true
        dirtySettlements.append(slot)
    }

    mutating func closeBatch(into effects: inout [CoreEffect]) {
        guard !openWrites.isEmpty || !dirtyRecords.isEmpty || !dirtySettlements.isEmpty else { return }
        encodeDirty()
        guard !openWrites.isEmpty else { return }
        let writes = openWrites
        openWrites = []
        effects.append(.write(writes, batch: openBatch))
        openBatch += 1
    }

    private mutating func encodeDirty() {
        // First, because a record's row holds the outcomes as well.
        for slot in dirtySettlements {
            slots[slot].settlementIsDirty = false
            guard slots[slot].isUsed, !slots[slot].recordIsDirty, slots[slot].record?.version != nil else { continue }
            writeNamed(slot, .settlement, SmallRows.encodeSettlement(slots[slot].recent))
        }
        for slot in dirtyRecords {
            slots[slot].recordIsDirty = false
            guard slots[slot].isUsed, slots[slot].record?.version != nil else { continue }
            writeNamed(slot, .record, RecordCodec.encode(slots[slot].record!, recent: slots[slot].recent))
        }
        dirtyRecords.removeAll(keepingCapacity: true)
        dirtySettlements.removeAll(keepingCapacity: true)
    }

    // MARK: Commits

    mutating func stored(upTo batch: UInt64, into effects: inout [CoreEffect]) {
        guard batch > storedBatch else { return }
        storedBatch = batch
        var seconds: [(effect: CoreEffect, second: Gate.Second)] = []
        gate.openAll(upTo: batch, into: &effects, seconds: &seconds)
        for item in seconds { holdFurther(item.effect, item.second, into: &effects) }
    }

    mutating func committed(_ shard: UInt16, upTo batch: UInt64, into effects: inout [CoreEffect]) {
        guard owns(shard), batch > shards[Int(shard)].committed else { return }
        shards[Int(shard)].committed = batch
        var seconds: [(effect: CoreEffect, second: Gate.Second)] = []
        gate.open(shard, upTo: batch, into: &effects, seconds: &seconds)
        for item in seconds { holdFurther(item.effect, item.second, into: &effects) }
    }

    /// One shard has committed its part; the other may not have, or may have gone meanwhile.
    private mutating func holdFurther(
        _ effect: CoreEffect, _ second: Gate.Second, into effects: inout [CoreEffect]
    ) {
        guard owns(second.shard), shards[Int(second.shard)].adoption == second.adoption else {
            return drop(effect, into: &effects)
        }
        if second.batch <= committedBatch(second.shard) {
            effects.append(effect)
        } else {
            gate.hold(effect, second.shard, until: second.batch)
        }
    }

    /// What waited for a shard that is served here no more: callers are told to ask again, the rest is the next
    /// owner's.
    mutating func drop(_ effect: CoreEffect, into effects: inout [CoreEffect]) {
        guard case .reply(let origin, _) = effect else { return }
        refuseMoved(origin, into: &effects)
    }

    /// Events are refused until the disk takes writes again, those that wait for the batch or later ones among them.
    /// Everything else waits on: the rows are written again.
    mutating func storeFailed(_ batch: UInt64, into effects: inout [CoreEffect]) {
        counters.storeFailures += 1
        storeIsFailing = true
        effects.append(.notice(.storeFailed(batch: batch)))
        let refused = gate.take(from: batch) { effect in
            switch effect {
            case .reply(_, .acknowledged), .reply(_, .acknowledgedBoth): true
            default: false
            }
        }
        for case .reply(let origin, _) in refused { refuseNotStored(origin, into: &effects) }
    }
}
