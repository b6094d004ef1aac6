import Wire

/// What the owners have reported of their shards, as far as it is about the epochs that the placement says now.
struct ShardFacts: Sendable {
    struct Row: Hashable, Sendable {
        var epoch: UInt64 = 0
        /// When this coordinator saw the epoch first, in milliseconds since boot.
        var since = Int64.min
        var isActive = false
        var isReleased = false
        var synced: [NodeID] = []
        /// When the owner said last that it waits for copies to read, in milliseconds since boot.
        var waitingAt = Int64.min
    }

    private(set) var rows = Array(repeating: Row(), count: Placement.entryCount)
    /// Grows with every change.
    private(set) var version: UInt64 = 0
    private var placementVersion = UInt64.max

    /// Forgets what was said of epochs that are over.
    mutating func follow(_ placement: Placement, now: Int64) {
        guard placement.version != placementVersion else { return }
        placementVersion = placement.version
        version += 1
        for (index, entry) in placement.entries.enumerated() where entry.epoch != rows[index].epoch {
            rows[index] = Row(epoch: entry.epoch, since: now)
        }
    }

    /// Takes an owner's word that it waits for copies of these shards.
    mutating func takeWaiting(
        _ shards: [Progress.ShardEpoch], from node: NodeID, placement: Placement, now: Int64
    ) {
        follow(placement, now: now)
        for item in shards where Int(item.shard) < rows.count {
            let entry = placement[item.shard]
            if entry.epoch == item.epoch, entry.owner == node { rows[Int(item.shard)].waitingAt = now }
        }
    }

    /// Takes a report; what its sender does not own at that epoch is ignored.
    mutating func take(_ progress: Progress, from node: NodeID, placement: Placement, now: Int64) {
        follow(placement, now: now)
        func isCurrent(_ shard: UInt16, _ epoch: UInt64) -> Bool {
            Int(shard) < rows.count && placement[shard].epoch == epoch && placement[shard].owner == node
        }
        for item in progress.active where isCurrent(item.shard, item.epoch) && !rows[Int(item.shard)].isActive {
            rows[Int(item.shard)].isActive = true
            version += 1
        }
        for item in progress.released where isCurrent(item.shard, item.epoch) && !rows[Int(item.shard)].isReleased {
            rows[Int(item.shard)].isReleased = true
            version += 1
        }
        for item in progress.synced where isCurrent(item.shard, item.epoch) {
            let entry = placement[item.shard]
            guard entry.replicas.contains(item.member) || entry.learners.contains(item.member),
                !rows[Int(item.shard)].synced.contains(item.member)
            else { continue }
            rows[Int(item.shard)].synced.append(item.member)
            version += 1
        }
    }
}
