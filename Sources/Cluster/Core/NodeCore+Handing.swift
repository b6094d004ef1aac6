import Delivery
import Wire

/// How shards leave this node while it lives.
extension NodeCore {
    /// The coordinator asks for shards; those at other epochs are not meant. A node that drains lets everything go
    /// anyway.
    mutating func hand(_ items: [Progress.ShardEpoch]) {
        guard !handing.isDraining else { return }
        for item in items where isMine(item) { handing.want(item.shard, epoch: item.epoch) }
    }

    private func isMine(_ item: Progress.ShardEpoch) -> Bool {
        state.placement[item.shard].owner == record?.id && state.placement[item.shard].epoch == item.epoch
    }

    /// Another node serves what it had from here.
    mutating func hearServed(_ items: [Progress.ShardEpoch], now: Moment) {
        for item in items where item.epoch >= state.placement[item.shard].epoch {
            if state.placement[item.shard].owner != record?.id {
                handing.moveOn(item.shard, now: now.bootMilliseconds)
            }
            handing.noteServed(item.shard)
        }
    }

    mutating func beginDrain(isFinal: Bool, now: Moment, into effects: inout [NodeEffect]) {
        let patience = isFinal ? settings.leaveMilliseconds : 10 * settings.drainMilliseconds
        handing.drain(
            isFinal: isFinal, announceUntil: now.bootMilliseconds + settings.drainMilliseconds,
            giveUpAt: now.bootMilliseconds + patience)
        lease?.hurry()
        membership?.describe(
            {
                $0.isDraining = true
                if isFinal { $0.weight = 0 }
            }, now: now)
    }

    /// Lets go what is quiet, says so, and ends when nothing is left or nobody takes it.
    mutating func watchHanding(now: Moment, into effects: inout [NodeEffect]) {
        guard handing.isDue(now: now.bootMilliseconds), let record else { return }
        if handing.isDraining {
            guard hasSomeoneElse else { return endDrain(now: now, into: &effects) }
            guard isKnownToDrain || now.bootMilliseconds >= handing.announceUntil else { return }
        }
        beginHanding(now: now)
        var released: [Progress.ShardEpoch] = []
        var gone: [UInt16] = []
        for (shard, item) in handing.shards.sorted(by: { $0.key < $1.key }) {
            guard state.placement[shard].owner == record.id else {
                handing.moveOn(shard, now: now.bootMilliseconds)
                continue
            }
            guard now.bootMilliseconds >= item.until || owner.isQuiet(shard) else { continue }
            // One that is still being taken over, too: it would be served after all.
            gone.append(shard)
            released.append(Progress.ShardEpoch(shard: shard, epoch: state.placement[shard].epoch))
        }
        if !gone.isEmpty {
            shards?.release(gone, into: &shardEffects)
            settle(now: now, into: &effects)
        }
        if let leader = consensus?.leader, !released.isEmpty {
            send(.coordination(.progress(Progress(released: released))), to: leader, into: &effects)
        }
        guard handing.isDraining else { return }
        let hasMore = state.placement.entries.contains {
            $0.owner == record.id && (handing.isFinal || hasHeir($0))
        }
        let hasHanded = !hasMore && handing.count == 0 && !(handing.isFinal && holdsCopies)
        if hasHanded, handing.isFinal { resign(now: now, into: &effects) }
        let isOut = hasHanded && (!handing.isFinal || handing.isRemoved)
        let isOver = isOut || now.bootMilliseconds >= handing.giveUpAt || !hasSomeoneElse
        if isOver { endDrain(now: now, into: &effects) }
    }

    /// Who leaves for good does not lead: it takes another coordinator to let it go. Asked for again and again: while
    /// the lead is on its way that changes nothing.
    private mutating func resign(now: Moment, into effects: inout [NodeEffect]) {
        guard coordinatesTerm != nil else { return }
        consensus?.transfer(to: nil, now: now.bootMilliseconds, into: &consensusEffects)
        settle(now: now, into: &effects)
    }

    /// Begins with as many shards as there is room for.
    private mutating func beginHanding(now: Moment) {
        guard handing.isDraining else {
            for (shard, epoch) in handing.wanted.sorted(by: { $0.key < $1.key }) {
                guard hasRoom else { return }
                handing.unwant(shard)
                if isMine(Progress.ShardEpoch(shard: shard, epoch: epoch)) { begin(shard, now: now) }
            }
            return
        }
        for shard in 0...Shard.registry where state.placement[shard].owner == record?.id {
            guard hasRoom else { return }
            if !handing.contains(shard), hasHeir(state.placement[shard]) { begin(shard, now: now) }
        }
    }

    /// Where APNs is out of reach nothing is served, and nothing is to be spared.
    private var hasRoom: Bool {
        reachWatch.isCutOff || handing.count < settings.handedShardsMax && handing.names < settings.handedNamesMax
    }

    /// Where APNs is out of reach nothing is in flight that could be waited for.
    private mutating func begin(_ shard: UInt16, now: Moment) {
        let patience = reachWatch.isCutOff ? 0 : settings.drainMilliseconds
        handing.add(shard, names: owner.nameCount(of: shard), until: now.bootMilliseconds + patience)
        owner.pause(shard)
    }

    /// Whether another replica stays to take the shard over. Nodes that all drain, as when everything is stopped, would
    /// give it to each other for as long as they wait.
    private func hasHeir(_ entry: ShardEntry) -> Bool {
        entry.replicas.contains { node in
            guard node != record?.id, let row = membership?.row(node) else { return false }
            return row.state == .alive && !row.member.isDraining
        }
    }

    /// Whether a shard counts on this node's copy.
    private var holdsCopies: Bool {
        guard let me = record?.id, state.members[me]?.isRemoved == false else { return false }
        return state.placement.entries.contains { $0.replicas.contains(me) || $0.former.contains(me) }
    }

    private var isKnownToDrain: Bool {
        record.flatMap { state.members[$0.id] }?.member.isDraining ?? false
    }

    /// Whether anybody is there who could take over.
    private var hasSomeoneElse: Bool {
        state.present.contains { $0.member.id != record?.id && membership?.row($0.member.id)?.state == .alive }
    }

    private mutating func endDrain(now: Moment, into effects: inout [NodeEffect]) {
        guard !handing.isDone else { return }
        handing.finish()
        consensus?.transfer(to: nil, now: now.bootMilliseconds, into: &consensusEffects)
        settle(now: now, into: &effects)
        membership?.leave(now: now, into: &membershipEffects)
        settle(now: now, into: &effects)
        effects.append(.drained)
    }
}
