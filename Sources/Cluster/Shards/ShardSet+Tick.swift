import Delivery
import Wire

/// What happens because time passes.
extension ShardSet {
    private static let repeatMilliseconds: Int64 = 1000
    private static let sweepMilliseconds: Int64 = 10_000

    /// When `tick` is to be called at the latest, in milliseconds of the clock that `now` is of; nil: not at all.
    public var nextDeadline: Int64? {
        [retryAt, repeatAt, sweepAt, digestAt].min().flatMap { $0 == .max ? nil : $0 }
    }

    /// Asks again, gives up what makes no progress, repeats reports, compares digests and drops tombstones, each in its
    /// time.
    public mutating func tick(batch: UInt64, now: Int64, into effects: inout [ShardEffect]) {
        if now >= retryAt { retry(now: now, into: &effects) }
        if now >= repeatAt {
            repeatAt = now + Self.repeatMilliseconds
            repeatReports()
            reportWaiting(into: &effects)
        }
        if now >= sweepAt {
            let isFirst = sweepAt == .min
            sweepAt = now + Self.sweepMilliseconds
            if !isFirst { sweepTombstones(batch: batch, now: now, into: &effects) }
        }
        if now >= digestAt {
            let isFirst = digestAt == .min
            digestAt = now + settings.digestMilliseconds
            if !isFirst { sendDigests(into: &effects) }
        }
    }

    // MARK: Retries

    private mutating func retry(now: Int64, into effects: inout [ShardEffect]) {
        retryAt = .max
        for place in peers.indices {
            askAgain(place, now: now)
            expireTransfers(place, now: now)
            probe(place, now: now, into: &effects)
        }
        expireFetches(now: now)
        for place in peers.indices {
            let peer = peers[place]
            if peer.mayBeUnknown { retryAt = min(retryAt, max(peer.askAt, now + 1)) }
            if !peer.transfers.isEmpty || !peer.messages.isEmpty || !peer.jobs.isEmpty {
                retryAt = min(retryAt, now + settings.promiseRetryMilliseconds)
            }
        }
    }

    private mutating func askAgain(_ place: Int, now: Int64) {
        guard peers[place].mayBeUnknown, now >= peers[place].askAt else { return }
        peers[place].toAsk = []
        for index in shards.indices {
            guard shards[index].isLeading, shards[index].stage != .promising,
                let member = shards[index].members.place(of: place)
            else { continue }
            let held = shards[index].members[member]
            // One that did not count may count by now.
            if held.state == .answered, !held.isValid { shards[index].members[member].state = .unknown }
            guard shards[index].members[member].state == .unknown else { continue }
            peers[place].toAsk.append(UInt16(truncatingIfNeeded: index))
        }
        peers[place].mayBeUnknown = !peers[place].toAsk.isEmpty
        let delay = max(peers[place].askDelay, settings.promiseRetryMilliseconds)
        peers[place].askDelay = min(delay * 2, settings.promiseRetryMilliseconds * 10)
        peers[place].askAt = now + delay
    }

    /// Nothing follows the last message of a stream, so its loss would not be noticed.
    private mutating func probe(_ place: Int, now: Int64, into effects: inout [ShardEffect]) {
        guard let oldest = peers[place].messages.first, now - oldest.sentAt >= fetchMilliseconds else { return }
        if now - oldest.sentAt >= fetchMilliseconds * 5 { return loseStream(place, now: now) }
        guard now - peers[place].probedAt >= fetchMilliseconds else { return }
        peers[place].probedAt = now
        sendCopies([], 0, place, now: now, into: &effects)
    }

    private mutating func expireFetches(now: Int64) {
        for index in shards.indices where shards[index].stage == .fetching {
            guard now - shards[index].sourceSince >= fetchMilliseconds else {
                retryAt = min(retryAt, shards[index].sourceSince + fetchMilliseconds)
                continue
            }
            // Others may do; if not, it says again where it stands.
            if let source = shards[index].source, let member = shards[index].members.place(of: source) {
                shards[index].members[member].hasPromised = false
                forget(index, member)
            }
            dropArrival(UInt16(truncatingIfNeeded: index))
            shards[index].source = nil
            shards[index].stage = .asking
            evaluate(index)
        }
    }

    // MARK: Reports

    /// Reports members that have come in step with a shard that is owned here.
    mutating func reportMembers(_ index: Int) {
        for member in shards[index].members.indices {
            let held = shards[index].members[member]
            guard held.isInStep, !held.isReported, shards[index].stage == .active else { continue }
            shards[index].members[member].isReported = true
            openProgress.synced.append(synced(index, held))
        }
    }

    private func synced(_ index: Int, _ member: ShardMember) -> Progress.ShardMember {
        Progress.ShardMember(
            shard: UInt16(truncatingIfNeeded: index), epoch: shards[index].epoch, member: peers[member.peer].node)
    }

    /// What the coordinator may not have heard: owners that it has not confirmed, learners that it may promote.
    private mutating func repeatReports() {
        for index in shards.indices where shards[index].stage == .active {
            if !shards[index].entry.former.isEmpty {
                openProgress.active.append(
                    Progress.ShardEpoch(shard: UInt16(truncatingIfNeeded: index), epoch: shards[index].epoch))
            }
            for member in shards[index].members where member.isLearner && member.isInStep {
                openProgress.synced.append(synced(index, member))
            }
        }
    }

    /// Tells the coordinator which shards cannot be opened before more of their copies have answered.
    private func reportWaiting(into effects: inout [ShardEffect]) {
        let waiting = shards.indices.filter { shards[$0].stage == .asking }.map {
            Progress.ShardEpoch(shard: UInt16(truncatingIfNeeded: $0), epoch: shards[$0].epoch)
        }
        if !waiting.isEmpty { effects.append(.waiting(waiting)) }
    }

    /// Reports everything again, for a coordinator that is new.
    public mutating func reportAll(into effects: inout [ShardEffect]) {
        openProgress = Progress()
        for index in shards.indices where shards[index].stage == .active {
            openProgress.active.append(
                Progress.ShardEpoch(shard: UInt16(truncatingIfNeeded: index), epoch: shards[index].epoch))
            for member in shards[index].members where member.isInStep {
                openProgress.synced.append(synced(index, member))
            }
        }
        flushProgress(into: &effects)
    }

    mutating func flushProgress(into effects: inout [ShardEffect]) {
        guard openProgress != Progress() else { return }
        effects.append(.progress(openProgress))
        openProgress = Progress()
    }

    // MARK: Tombstones

    /// Drops the tombstones that everybody has passed, and those that are older than their life; a change without rows
    /// tells the others.
    private mutating func sweepTombstones(batch: UInt64, now: Int64, into effects: inout [ShardEffect]) {
        guard settings.mutant != .tombstonesDroppedEarly else { return }
        serial += 1
        var writes: [StoreWrite] = []
        for index in shards.indices where shards[index].stage == .active {
            guard shards[index].table.tombstoneCount > 0 else {
                shards[index].tombstonesSince = nil
                continue
            }
            let purge = purgeDue(index, now: now)
            guard purge > shards[index].table.purge else { continue }
            change(index, purge: purge, batch: batch, writes: &writes)
        }
        if !writes.isEmpty { effects.append(.store(writes)) }
    }

    private mutating func purgeDue(_ index: Int, now: Int64) -> ShardVersion {
        let watermark = shards[index].table.watermark
        let passed = shards[index].members.durableOnAll(own: shards[index].ownDurable)
        if passed > 0 { return ShardVersion(epoch: watermark.epoch, count: passed) }
        guard let since = shards[index].tombstonesSince else {
            shards[index].tombstonesSince = (watermark, now)
            return .zero
        }
        guard now - since.time >= settings.tombstoneMilliseconds else { return .zero }
        shards[index].tombstonesSince = (watermark, now)
        return since.version
    }

    private mutating func change(_ index: Int, purge: ShardVersion, batch: UInt64, writes: inout [StoreWrite]) {
        var sections: [CopySection] = []
        begin(index, batch: batch, sections: &sections)
        sections[0].purge = purge
        finish(sections[0], rows: &writes)
    }

    // MARK: Digests

    private mutating func sendDigests(into effects: inout [ShardEffect]) {
        var digests = [[ShardDigest]](repeating: [], count: peers.count)
        for index in shards.indices where shards[index].stage == .active {
            let digest = digest(UInt16(truncatingIfNeeded: index))
            for member in shards[index].members where member.isInStep { digests[member.peer].append(digest) }
        }
        for place in peers.indices where !digests[place].isEmpty {
            flushCopies(place, now: digestAt - settings.digestMilliseconds, into: &effects)
            effects.append(.send(.digests(digests[place]), to: peers[place].node))
        }
    }

    /// Digests of an owner are compared; those of a member say that it differs.
    mutating func compare(_ digests: [ShardDigest], from place: Int, into effects: inout [ShardEffect]) {
        var differing: [ShardDigest] = []
        for theirs in digests {
            guard theirs.shard <= Shard.registry else {
                counters.unknownShards += 1
                continue
            }
            let index = Int(theirs.shard)
            if !shards[index].isLeading {
                let ours = digest(theirs.shard)
                guard theirs.watermark.epoch == shards[index].promised, ours.watermark == theirs.watermark,
                    ours.count != theirs.count || ours.hash != theirs.hash
                else { continue }
                differing.append(ours)
            } else if shards[index].isOpen, theirs.watermark.epoch == shards[index].epoch,
                let member = shards[index].members.place(of: place), shards[index].members[member].isInStep
            {
                counters.digestsDiffered += 1
                effects.append(.notice(.digestsDiffer(shard: theirs.shard, member: peers[place].node)))
                shards[index].members[member].needsWhole = true
                queueRows(index, member)
            }
        }
        counters.digestsDiffered += UInt64(differing.count)
        if !differing.isEmpty { effects.append(.send(.digests(differing), to: peers[place].node)) }
    }
}
