import Delivery
import Wire

/// Shards that are being handed over: no new versions and sends, the requests in flight are waited for, then the shard
/// is let go and the coordinator gives it to a replica that has everything. A node that is to stop hands all over.
struct Handing: Sendable {
    private static let everyMilliseconds: Int64 = 10
    /// Most shards of a draining node that are on their way at once.
    static let shardsAtATime = 128

    /// Shards and when each is let go whatever is in flight, in milliseconds since boot.
    private(set) var shards: [UInt16: Int64] = [:]
    /// Everything goes.
    private(set) var isDraining = false
    /// The node leaves for good: it stays until its copies are elsewhere, too.
    private(set) var isFinal = false
    private(set) var isDone = false
    /// The coordinator says that this node is no member any more.
    private(set) var isRemoved = false
    private var lookAt: Int64 = .min
    /// When draining is given up.
    private(set) var giveUpAt: Int64 = .max
    /// Nothing is let go before the coordinator knows that this node is to have nothing, or for so long.
    private(set) var announceUntil: Int64 = .min

    var nextDeadline: Int64? { shards.isEmpty && (!isDraining || isDone) ? nil : lookAt }

    func contains(_ shard: UInt16) -> Bool { !shards.isEmpty && shards[shard] != nil }

    mutating func add(_ shard: UInt16, until: Int64) {
        if shards[shard] == nil { shards[shard] = until }
    }

    mutating func remove(_ shard: UInt16) { shards[shard] = nil }

    mutating func drain(isFinal: Bool, announceUntil: Int64, giveUpAt: Int64) {
        guard !isDraining else { return }
        isDraining = true
        self.isFinal = isFinal
        self.announceUntil = announceUntil
        self.giveUpAt = giveUpAt
    }

    mutating func isDue(now: Int64) -> Bool {
        guard nextDeadline != nil, now >= lookAt else { return false }
        lookAt = now + Self.everyMilliseconds
        return true
    }

    mutating func finish() { isDone = true }

    mutating func noteRemoved() { isRemoved = true }
}

extension NodeCore {
    /// The coordinator asks for shards; those at other epochs are not meant. Where APNs is out of reach nothing is in
    /// flight that could be waited for.
    mutating func hand(_ wanted: [Progress.ShardEpoch], now: Moment) {
        let patience = reachWatch.isCutOff ? 0 : settings.drainMilliseconds
        for place in wanted where state.placement[place.shard].owner == record?.id {
            guard place.epoch == state.placement[place.shard].epoch else { continue }
            handing.add(place.shard, until: now.bootMilliseconds + patience)
            owner.pause(place.shard)
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
            handAll(now: now)
        }
        var released: [Progress.ShardEpoch] = []
        var gone: [UInt16] = []
        for (shard, until) in handing.shards.sorted(by: { $0.key < $1.key }) {
            guard state.placement[shard].owner == record.id else {
                handing.remove(shard)
                continue
            }
            guard now.bootMilliseconds >= until || owner.isQuiet(shard) else { continue }
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
        let hasHanded = !hasMore && !(handing.isFinal && holdsCopies)
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

    /// Some at a time, so that each is without service only for as long as the few beside it take to be taken over.
    private mutating func handAll(now: Moment) {
        for shard in 0...Shard.registry where state.placement[shard].owner == record?.id {
            guard handing.shards.count < Handing.shardsAtATime else { return }
            guard !handing.contains(shard), hasHeir(state.placement[shard]) else { continue }
            handing.add(shard, until: now.bootMilliseconds + settings.drainMilliseconds)
            owner.pause(shard)
        }
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
