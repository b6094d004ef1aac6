import Delivery
import Wire

/// How a new owner reads, merges and opens its epoch.
extension ShardSet {
    /// The batches up to this one are durable here.
    public mutating func stored(upTo batch: UInt64, now: Int64, into effects: inout [ShardEffect]) {
        while let change = ownChanges.first, change.batch <= batch {
            ownChanges.removeFirst()
            let index = Int(change.shard)
            guard isOpen(index, change.epoch) else { continue }
            shards[index].ownDurable = max(shards[index].ownDurable, change.count)
            lookAt(index)
        }
        while let promise = promises.first, promise.batch <= batch {
            promises.removeFirst()
            let index = Int(promise.shard)
            guard shards[index].isLeading, shards[index].epoch == promise.epoch else { continue }
            // An owner that reads nobody has opened the epoch already; its learners are asked all the same.
            ask(index)
            guard shards[index].stage == .promising else { continue }
            shards[index].stage = .asking
            evaluate(index)
        }
        checkAll(into: &effects)
    }

    /// Asks everybody who has not said where it stands.
    mutating func ask(_ index: Int) {
        for member in shards[index].members where member.state == .unknown {
            peers[member.peer].toAsk.append(UInt16(truncatingIfNeeded: index))
            peers[member.peer].mayBeUnknown = true
        }
    }

    mutating func flushQuestions(_ place: Int, now: Int64, into effects: inout [ShardEffect]) {
        if !peers[place].toAsk.isEmpty {
            // The placement may have moved on since the turn put them here: only an owner asks.
            let requests = peers[place].toAsk.filter { shards[Int($0)].isLeading }.map {
                PromiseRequest(shard: $0, epoch: shards[Int($0)].epoch)
            }
            peers[place].toAsk = []
            if !requests.isEmpty { effects.append(.send(.promise(requests), to: peers[place].node)) }
            peers[place].askDelay = settings.promiseRetryMilliseconds
            peers[place].askAt = now + peers[place].askDelay
            retryAt = min(retryAt, peers[place].askAt)
        }
        if !peers[place].wanted.isEmpty {
            effects.append(.send(.rowsWanted(peers[place].wanted), to: peers[place].node))
            peers[place].wanted = []
        }
    }

    // MARK: On the replica

    /// New owners want promises.
    mutating func promise(_ requests: [PromiseRequest], from place: Int, into effects: inout [ShardEffect]) {
        var writes: [StoreWrite] = []
        var answers: [PromiseAnswer] = []
        answers.reserveCapacity(requests.count)
        for request in requests {
            guard request.shard <= Shard.registry else {
                counters.unknownShards += 1
                continue
            }
            let index = Int(request.shard)
            // Nobody else can have an epoch that the placement gave to this node.
            guard !(shards[index].epoch == request.epoch && shards[index].entry.owner == me) else { continue }
            if request.epoch > shards[index].promised, request.epoch >= shards[index].epoch {
                fence(index, into: &effects)
                dropArrival(request.shard)
                shards[index].promised = request.epoch
                writes.append(stateRow(index))
            }
            answers.append(
                PromiseAnswer(
                    shard: request.shard, epoch: max(shards[index].promised, shards[index].epoch),
                    watermark: shards[index].table.watermark, isValid: shards[index].table.isValid))
        }
        if !writes.isEmpty { effects.append(.store(writes)) }
        if !answers.isEmpty { effects.append(.sendAfterStored(.promised(answers), to: peers[place].node)) }
    }

    // MARK: On the new owner

    /// Promises arrived.
    mutating func promised(_ answers: [PromiseAnswer], from place: Int, into effects: inout [ShardEffect]) {
        for answer in answers {
            guard answer.shard <= Shard.registry else {
                counters.unknownShards += 1
                continue
            }
            let index = Int(answer.shard)
            guard shards[index].isLeading, let member = shards[index].members.place(of: place) else { continue }
            if answer.epoch > shards[index].epoch {
                fence(index, into: &effects)
                continue
            }
            guard answer.epoch == shards[index].epoch, shards[index].members[member].state == .unknown else { continue }
            shards[index].members[member].hasPromised = true
            shards[index].members[member].watermark = answer.watermark
            shards[index].members[member].isValid = answer.isValid
            shards[index].members[member].state = .answered
            if shards[index].isOpen { bringInStep(index, member) } else { evaluate(index) }
        }
    }

    /// Puts a shard on the list of those that may go on in their take-over.
    mutating func evaluate(_ index: Int) {
        guard !shards[index].isToEvaluate else { return }
        shards[index].isToEvaluate = true
        toEvaluate.append(index)
    }

    mutating func evaluateAll(batch: UInt64, now: Int64, into effects: inout [ShardEffect]) {
        guard !toEvaluate.isEmpty else { return }
        let indices = toEvaluate
        toEvaluate = []
        var writes: [StoreWrite] = []
        for index in indices {
            shards[index].isToEvaluate = false
            goOn(index, batch: batch, now: now, writes: &writes)
        }
        if !writes.isEmpty { effects.append(.store(writes)) }
    }

    private mutating func goOn(_ index: Int, batch: UInt64, now: Int64, writes: inout [StoreWrite]) {
        switch shards[index].stage {
        case .promising:
            guard readsNobodyElse(index) else { return }
        case .asking, .fetching:
            break
        default:
            return
        }
        guard hasReadEnough(index) else {
            shards[index].stage = shards[index].stage == .promising ? .promising : .asking
            return
        }
        if let source = whoIsAhead(index) {
            fetch(index, from: source, now: now)
        } else {
            open(index, batch: batch, now: now, writes: &writes)
        }
    }

    /// An operator says that what the members that do not answer had is lost: the best table of those that did answer,
    /// or the one here, becomes the shard. Only for a shard that waits here for more of them.
    public mutating func acceptLoss(_ shard: UInt16) {
        guard shard <= Shard.registry else { return }
        let index = Int(shard)
        guard shards[index].stage == .asking || shards[index].stage == .fetching else { return }
        shards[index].acceptsLoss = true
        shards[index].isPartial = true
        evaluate(index)
    }

    private func readsNobodyElse(_ index: Int) -> Bool {
        shards[index].table.isValid
            && (settings.mutant == .noQuorumRead || shards[index].members.allSatisfy { $0.isLearner })
    }

    /// Whether every change that was ever committed is in one of the tables that were read.
    private func hasReadEnough(_ index: Int) -> Bool {
        guard settings.mutant != .noQuorumRead, !shards[index].acceptsLoss else { return true }
        let entry = shards[index].entry
        let mine = shards[index].table.isValid ? 1 : 0
        let read = shards[index].members.filter { $0.hasPromised && $0.isValid }
        let ofReplicas = mine + read.reduce(0) { $0 + ($1.isReplica ? 1 : 0) }
        guard ofReplicas >= ShardEntry.readsNeeded(of: entry.replicas.count) else { return false }
        guard !entry.former.isEmpty, settings.mutant != .formerNotRead else { return true }
        let ofFormer =
            (entry.former.contains(me) ? mine : 0) + read.reduce(0) { $0 + ($1.isFormer ? 1 : 0) }
        return ofFormer >= ShardEntry.readsNeeded(of: entry.former.count)
    }

    /// The member with the highest watermark; nil when nobody has more than this node.
    private func whoIsAhead(_ index: Int) -> Int? {
        let mine = shards[index].table
        var best: Int?
        if settings.mutant == .lowestWatermarkWins { return lowest(index) }
        var highest = mine.isValid ? mine.watermark : .zero
        var isNeeded = !mine.isValid
        for (offset, member) in shards[index].members.enumerated()
        where member.hasPromised && member.isValid && (member.isReplica || member.isFormer) {
            guard isNeeded || member.watermark > highest else { continue }
            isNeeded = false
            highest = member.watermark
            best = offset
        }
        return best
    }

    /// The fault `lowestWatermarkWins`.
    private func lowest(_ index: Int) -> Int? {
        let read = shards[index].members.indices.filter {
            let member = shards[index].members[$0]
            return member.hasPromised && member.isValid && (member.isReplica || member.isFormer)
        }
        let best = read.min { shards[index].members[$0].watermark < shards[index].members[$1].watermark }
        guard let best, shards[index].members[best].watermark < shards[index].table.watermark else { return nil }
        return best
    }

    private mutating func fetch(_ index: Int, from member: Int, now: Int64) {
        let place = shards[index].members[member].peer
        guard shards[index].stage != .fetching || shards[index].source != place else { return }
        shards[index].stage = .fetching
        shards[index].source = place
        shards[index].sourceSince = now
        retryAt = min(retryAt, now + fetchMilliseconds)
        let isWhole = !shards[index].table.isValid || settings.mutant == .lowestWatermarkWins
        peers[place].wanted.append(
            RowsRequest(
                shard: UInt16(truncatingIfNeeded: index), epoch: shards[index].epoch,
                watermark: isWhole ? .zero : shards[index].table.watermark))
    }

    /// How long rows may make no progress, in milliseconds.
    var fetchMilliseconds: Int64 { settings.promiseRetryMilliseconds * 5 }

    /// Makes the change that begins the epoch: from here on this table is the shard.
    private mutating func open(_ index: Int, batch: UInt64, now: Int64, writes: inout [StoreWrite]) {
        let epoch = shards[index].epoch
        shards[index].table.base = shards[index].table.watermark
        shards[index].table.watermark = ShardVersion(epoch: epoch, count: 1)
        shards[index].table.validity = .valid
        shards[index].source = nil
        shards[index].stage = .opening
        shards[index].ownDurable = 0
        shards[index].committed = 0
        shards[index].note(count: 1, batch: batch, limit: settings.uncommittedMax)
        ownChanges.append(
            OwnChange(batch: batch, shard: UInt16(truncatingIfNeeded: index), epoch: epoch, count: 1))
        writes.append(stateRow(index))
        for member in shards[index].members.indices where shards[index].members[member].state == .answered {
            bringInStep(index, member)
        }
        if settings.mutant == .epochNotOpened {
            shards[index].ownDurable = 1
            shards[index].committed = 1
        }
        lookAt(index)
    }

    /// A member has said where it stands: it gets what it lacks, then every change.
    mutating func bringInStep(_ index: Int, _ member: Int) {
        guard shards[index].members[member].isReplica || shards[index].members[member].isLearner else { return }
        let held = shards[index].members[member]
        let watermark = shards[index].table.watermark
        let fits = held.isValid && !held.needsWhole
        if fits, held.watermark == watermark {
            shards[index].members[member].matched = watermark.count
            stream(index, member)
            lookAt(index)
        } else if fits, watermark.count == 1, held.watermark == shards[index].table.base {
            stream(index, member)
            peers[held.peer].sections.append(
                CopySection(
                    shard: UInt16(truncatingIfNeeded: index), version: watermark, previous: held.watermark,
                    purge: shards[index].table.purge, rows: []))
        } else {
            queueRows(index, member)
        }
    }

    /// From here on every change goes to the member as it is made.
    mutating func stream(_ index: Int, _ member: Int) {
        shards[index].members[member].state = .streaming
        shards[index].members[member].since = peers[shards[index].members[member].peer].stream + 1
    }

    // MARK: Committed

    /// Whether this node gives versions in this epoch. Reads single fields, because it is asked for every change.
    func isOpen(_ index: Int, _ epoch: UInt64) -> Bool {
        let stage = shards[index].stage
        return (stage == .opening || stage == .active) && shards[index].entry.epoch == epoch
    }

    /// Puts a shard on the list of those whose changes may have become committed.
    mutating func lookAt(_ index: Int) {
        guard !shards[index].isToCheck else { return }
        shards[index].isToCheck = true
        toCheck.append(index)
    }

    mutating func checkAll(into effects: inout [ShardEffect]) {
        guard !toCheck.isEmpty else { return }
        let indices = toCheck
        toCheck = []
        for index in indices {
            shards[index].isToCheck = false
            let stage = shards[index].stage
            guard stage == .opening || stage == .active else { continue }
            check(index, into: &effects)
            reportMembers(index)
        }
    }

    private mutating func check(_ index: Int, into effects: inout [ShardEffect]) {
        let needed = settings.mutant == .copiesOnOwnerOnly ? 1 : shards[index].entry.copiesNeeded
        let durable = shards[index].members.durable(on: needed, own: shards[index].ownDurable)
        shards[index].committed = max(shards[index].committed, durable)
        guard shards[index].committed > 0 else { return }
        let shard = UInt16(truncatingIfNeeded: index)
        let batch = shards[index].takeCommitted()
        if shards[index].stage == .opening {
            shards[index].stage = .active
            counters.activations += 1
            openProgress.active.append(Progress.ShardEpoch(shard: shard, epoch: shards[index].epoch))
            effects.append(.activated(shard: shard, epoch: shards[index].epoch))
        } else if let batch {
            effects.append(.committed(shard: shard, upTo: batch))
        }
    }
}
