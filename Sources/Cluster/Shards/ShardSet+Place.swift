import Delivery
import Wire

/// What the cluster state says about shards.
extension ShardSet {
    /// The cluster state names the members of a shard. Also called for every shard at the start; entries of lower
    /// epochs than the known one are ignored. `batch` is the open batch.
    public mutating func place(
        _ shard: UInt16, _ entry: ShardEntry, batch: UInt64, now: Int64, into effects: inout [ShardEffect]
    ) {
        guard shard <= Shard.registry else { return counters.unknownShards += 1 }
        let index = Int(shard)
        guard entry.epoch >= shards[index].epoch, entry != shards[index].entry else { return }
        if entry.epoch == shards[index].epoch { return amend(index, entry, now: now, into: &effects) }
        // A set shrinks to one member that need not read itself only when the loss of the others was accepted.
        let isPartial =
            entry.replicas == [me] && !entry.former.contains(me) && shards[index].entry.replicas.count > 1
        leave(index, stage: nil, into: &effects)
        shards[index].entry = entry
        found(index)
        if entry.owner == me {
            take(index, batch: batch, now: now)
            shards[index].isPartial = isPartial
        } else {
            forgetIfUnneeded(index, into: &effects)
        }
        if let write = openWrite(index, entry) { effects.append(.store([write])) }
    }

    private func openWrite(_ index: Int, _ entry: ShardEntry) -> StoreWrite? {
        entry.owner == me && shards[index].stage != .closed ? stateRow(index) : nil
    }

    /// A replica of a set that nobody has to be read for holds truthfully nothing when it holds nothing: either the
    /// shard never had a change, or W of the same set have what it had.
    private mutating func found(_ index: Int) {
        let entry = shards[index].entry
        guard shards[index].table.validity == .fresh, entry.former.isEmpty, entry.replicas.contains(me) else { return }
        shards[index].table.validity = .valid
    }

    /// Other learners, or the former replicas need no reading any more.
    private mutating func amend(
        _ index: Int, _ entry: ShardEntry, now: Int64, into effects: inout [ShardEffect]
    ) {
        guard entry.replicas == shards[index].entry.replicas else { return }
        shards[index].entry = entry
        found(index)
        guard shards[index].isLeading else {
            if entry.owner != me { forgetIfUnneeded(index, into: &effects) }
            return
        }
        let known = shards[index].members
        shards[index].members = members(of: entry).map { member in
            guard var old = known.first(where: { $0.peer == member.peer }) else { return member }
            old.isLearner = member.isLearner
            old.isReplica = member.isReplica
            old.isFormer = member.isFormer
            return old
        }
        if shards[index].stage != .promising { ask(index) }
        lookAt(index)
        evaluate(index)
    }

    mutating func members(of entry: ShardEntry) -> [ShardMember] {
        var members: [ShardMember] = []
        func add(_ place: Int, _ mark: (inout ShardMember) -> Void) {
            if let known = members.firstIndex(where: { $0.peer == place }) { return mark(&members[known]) }
            members.append(ShardMember(peer: place))
            mark(&members[members.count - 1])
        }
        for node in entry.replicas where node != me { add(peer(node)) { $0.isReplica = true } }
        for node in entry.former where node != me { add(peer(node)) { $0.isFormer = true } }
        for node in entry.learners where node != me && !entry.replicas.contains(node) {
            add(peer(node)) { $0.isLearner = true }
        }
        return members
    }

    /// This node is to own the shard.
    private mutating func take(_ index: Int, batch: UInt64, now: Int64) {
        let epoch = shards[index].epoch
        let used = max(shards[index].promised, shards[index].table.watermark.epoch)
        if settings.mutant == .countReusedAfterRestart, shards[index].table.watermark.epoch == epoch {
            return goOn(index)
        }
        // What was lost may be a promise, or versions of this very epoch.
        guard shards[index].table.validity != .distrusted else { return shards[index].stage = .closed }
        // An epoch that was promised is another's, or an earlier run of this node has given versions in it that nobody
        // may remember.
        guard epoch > used else { return shards[index].stage = .closed }
        dropArrival(UInt16(truncatingIfNeeded: index))
        shards[index].promised = epoch
        shards[index].members = members(of: shards[index].entry)
        shards[index].stage = .promising
        promises.append(PromiseUnderWay(batch: batch, shard: UInt16(truncatingIfNeeded: index), epoch: epoch))
        // Who needs to read nobody else opens the epoch with the batch that the promise is in.
        evaluate(index)
    }

    /// The fault `countReusedAfterRestart`.
    private mutating func goOn(_ index: Int) {
        shards[index].stage = .opening
        shards[index].members = members(of: shards[index].entry)
        shards[index].ownDurable = shards[index].table.watermark.count
        shards[index].note(count: shards[index].table.watermark.count, batch: 0, limit: 1)
        ask(index)
        lookAt(index)
    }

    /// This node is no owner of the shard any more.
    mutating func leave(_ index: Int, stage: ShardStage?, into effects: inout [ShardEffect]) {
        let wasActive = shards[index].stage == .active
        if index == Int(Shard.registry), shards[index].isLeading, !wasActive {
            // What came while it was being taken over was told to nobody.
            effects.append(.registryChanged(shards[index].table.rows.map(\.travelling)))
        }
        shards[index].stepDown(to: stage)
        if wasActive { effects.append(.deactivated(shard: UInt16(truncatingIfNeeded: index))) }
    }

    /// Serves these shards no more, or does not begin to, although the placement still says so: another replica is
    /// about to get them.
    public mutating func release(_ numbers: [UInt16], into effects: inout [ShardEffect]) {
        for shard in numbers where shard <= Shard.registry && shards[Int(shard)].isLeading {
            leave(Int(shard), stage: .closed, into: &effects)
        }
    }

    /// Another epoch was promised to somebody.
    mutating func fence(_ index: Int, into effects: inout [ShardEffect]) {
        guard shards[index].isLeading else { return }
        counters.fenced += 1
        leave(index, stage: .closed, into: &effects)
    }

    /// Drops the rows of a shard that this node has no part in and that nobody has to read here any more. The promise
    /// stays.
    private mutating func forgetIfUnneeded(_ index: Int, into effects: inout [ShardEffect]) {
        let entry = shards[index].entry
        guard !entry.replicas.isEmpty, entry.former.isEmpty, !entry.replicas.contains(me),
            !entry.learners.contains(me), entry.epoch >= shards[index].promised,
            entry.epoch >= shards[index].table.watermark.epoch, shards[index].table.validity != .fresh
        else { return }
        let shard = UInt16(truncatingIfNeeded: index)
        dropArrival(shard)
        var writes = shards[index].table.rows.map {
            StoreWrite(
                kind: StoredKind(rawValue: $0.name.kind) ?? .record, key: StoredShard.key(shard: shard, $0.name.key),
                value: nil)
        }
        shards[index].table = ShardTable()
        writes.append(stateRow(index))
        effects.append(.store(writes))
    }
}
