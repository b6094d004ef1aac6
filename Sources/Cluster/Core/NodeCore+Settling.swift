import Codes
import Delivery
import Wire

/// What the parts want of each other: carried out until nobody wants anything more.
extension NodeCore {
    mutating func settle(now: Moment, into effects: inout [NodeEffect]) {
        // Every round answers something that happened; a bound keeps a fault of ours from hanging the node.
        for _ in 0..<10_000 {
            if !membershipEffects.isEmpty {
                settleMembership(now: now, into: &effects)
            } else if !consensusEffects.isEmpty {
                settleConsensus(now: now, into: &effects)
            } else if !coordinatorEffects.isEmpty {
                settleCoordinator(now: now, into: &effects)
            } else if !shardEffects.isEmpty {
                settleShards(now: now, into: &effects)
            } else if !loopback.isEmpty {
                hearMyself(now: now, into: &effects)
            } else {
                return
            }
        }
        preconditionFailure("the parts of the core never come to rest")
    }

    private mutating func hearMyself(now: Moment, into effects: inout [NodeEffect]) {
        guard let record, let charter else { return loopback.removeAll() }
        let header = MeshHeader(
            cluster: charter.cluster, sender: record.id, generation: record.generation, target: record.id,
            targetGeneration: record.generation)
        let messages = loopback
        loopback = []
        for message in messages {
            guard case .coordination(let message) = message else { continue }
            hear(message, header, now: now, into: &effects)
        }
    }

    // MARK: Membership

    private mutating func settleMembership(now: Moment, into effects: inout [NodeEffect]) {
        let wanted = membershipEffects
        membershipEffects = []
        for effect in wanted {
            switch effect {
            case .send(let message, let member):
                guard disk.durableBatch > 0 else { continue }
                effects.append(.sendControl(.membership(message), to: .member(member)))
            case .sendToSeed(let name, let control, let message):
                guard disk.durableBatch > 0 else { continue }
                effects.append(.sendControl(.membership(message), to: .seed(name: name, control: control)))
            case .changed(let row, let before): changed(row, before, now: now)
            case .notice(let notice): effects.append(.clusterNotice(notice))
            }
        }
    }

    private mutating func changed(_ row: MemberRow, _ before: MemberState?, now: Moment) {
        guard row.member.id != record?.id, row.state == .alive else { return }
        shards?.peerChanged(
            row.member.id, generation: row.member.incarnation.generation, now: now.bootMilliseconds)
    }

    // MARK: Consensus

    private mutating func settleConsensus(now: Moment, into effects: inout [NodeEffect]) {
        let wanted = consensusEffects
        consensusEffects = []
        for effect in wanted {
            switch effect {
            case .save(let writes, let mark):
                disk.write(writes)
                disk.note(mark: mark)
            case .send(let message, let node, let isAfterSave):
                if isAfterSave {
                    sendAfterStored(.consensus(message), to: node, into: &effects)
                } else {
                    send(.consensus(message), to: node, into: &effects)
                }
            case .apply(let entry): apply(entry, now: now, into: &effects)
            case .install(let bytes, let index): install(bytes, index, now: now, into: &effects)
            case .roleChanged: break
            }
        }
        watchRole(now: now, into: &effects)
    }

    private mutating func apply(_ entry: LogEntry, now: Moment, into effects: inout [NodeEffect]) {
        membership?.setStateIndex(entry.index)
        if entry.kind == .command {
            let before = state.placement
            for change in state.apply(entry.payload) { take(change, before, now: now, into: &effects) }
        }
        channels.applied(upTo: entry.index, into: &effects)
        compactLog(upTo: entry.index)
    }

    private mutating func take(
        _ change: ClusterChange, _ before: Placement, now: Moment, into effects: inout [NodeEffect]
    ) {
        switch change {
        case .placed(let shards), .confirmed(let shards):
            for shard in shards { place(shard, before: before[shard], now: now) }
        case .channel(let key, _): showChannel(key, now: now, into: &effects)
        case .removed: noteRemoved()
        case .admitted, .described, .generation: break
        }
    }

    private mutating func noteRemoved() {
        let removed = Set(state.members.filter(\.value.isRemoved).keys)
        membership?.setRemoved(removed)
    }

    private mutating func install(
        _ bytes: [UInt8], _ index: UInt64, now: Moment, into effects: inout [NodeEffect]
    ) {
        guard let installed = ClusterState(bytes: bytes) else { return counters.unreadableEntries += 1 }
        let before = state
        state = installed
        membership?.setStateIndex(index)
        noteRemoved()
        for shard in 0...Shard.registry where state.placement[shard] != before.placement[shard] {
            place(shard, before: before.placement[shard], now: now)
        }
        for key in Set(before.channels.keys).union(state.channels.keys).sorted(by: { $0.lexicographicallyPrecedes($1) })
        {
            showChannel(key, now: now, into: &effects)
        }
        channels.applied(upTo: index, into: &effects)
    }

    private mutating func place(_ shard: UInt16, before: ShardEntry, now: Moment) {
        let entry = state.placement[shard]
        if entry.owner == record?.id {
            if let former = before.owner, former != record?.id { taken[shard] = former }
            placedAt[shard] = now.bootMilliseconds
            if before.epoch != entry.epoch { handing.forget(shard) }
        }
        shards?.place(shard, entry, batch: disk.openBatch, now: now.bootMilliseconds, into: &shardEffects)
    }

    /// Consensus counts as applied what it has handed out; the state is that of this entry, which others may follow.
    private mutating func compactLog(upTo index: UInt64) {
        guard let consensus, consensus.logEntries > settings.logEntriesKept else { return }
        let bytes = state.encode()
        self.consensus?.compact(upTo: index, state: bytes, into: &consensusEffects)
    }

    // MARK: Shards

    private mutating func settleShards(now: Moment, into effects: inout [NodeEffect]) {
        let wanted = shardEffects
        shardEffects = []
        var gone: [UInt16] = []
        for effect in wanted {
            switch effect {
            case .store(let writes): disk.write(writes)
            case .send(let message, let node): replicate(message, to: node, isAfterStored: false, into: &effects)
            case .sendAfterStored(let message, let node):
                replicate(message, to: node, isAfterStored: true, into: &effects)
            case .committed(let shard, let batch):
                owner.handle(.committed(shard: shard, upTo: batch), now: now, into: &ownerEffects)
            case .activated(let shard, _): activated.append(shard)
            case .deactivated(let shard):
                gone.append(shard)
                // Served, and not yet given to the owner.
                if shard == Shard.registry, !owner.owns(shard) { observeRegistry() }
            case .registryChanged(let rows):
                if gone.contains(Shard.registry) {
                    // Else it would count as kept here, and what came after it was let go would not be read.
                    letGo(gone, now: now, into: &effects)
                    gone = []
                }
                owner.observe(
                    registry: rows.map { (kind: $0.kind, key: $0.key, value: $0.value) }, into: &ownerEffects)
            case .progress(let progress):
                if let leader = consensus?.leader {
                    send(.coordination(.progress(progress)), to: leader, into: &effects)
                }
            case .waiting(let items): tellCoordinator(.waiting(items), into: &effects)
            case .notice(let notice): effects.append(.clusterNotice(notice))
            }
        }
        if !ownerEffects.isEmpty { translateOwner(now: now, into: &effects) }
        if !gone.isEmpty { letGo(gone, now: now, into: &effects) }
    }

    /// Gives shards whose take-over is done to the owner: as many in one turn as take some ten milliseconds, so that
    /// pings are answered meanwhile.
    mutating func adoptActivated(now: Moment, into effects: inout [NodeEffect]) {
        guard !activated.isEmpty else { return }
        var adoptions: [Adoption] = []
        var formers: [NodeID: [Progress.ShardEpoch]] = [:]
        var known: Set<UInt16> = []
        var rowCount = 0
        var seen = 0
        for shard in activated {
            guard rowCount < settings.adoptedRowsPerTurn else { break }
            seen += 1
            guard shards?.isActive(shard) == true, known.insert(shard).inserted else { continue }
            let rows = rows(of: shard)
            rowCount += rows.count
            let epoch = state.placement[shard].epoch
            let former = taken.removeValue(forKey: shard)
            if let former { formers[former, default: []].append(Progress.ShardEpoch(shard: shard, epoch: epoch)) }
            adoptions.append(
                Adoption(
                    shard: shard, epoch: epoch, copies: state.placement[shard].copiesNeeded, rows: rows,
                    isReassertion: former != nil, isPartial: shards?.isPartial(shard) ?? false))
            if let since = placedAt.removeValue(forKey: shard) {
                takingOver.milliseconds = max(takingOver.milliseconds, now.bootMilliseconds - since)
            }
        }
        activated.removeFirst(seen)
        if !adoptions.isEmpty {
            counters.takeOvers += UInt64(adoptions.count)
            takingOver.shards += adoptions.count
            adopted.add(owner.adopt(adoptions, now: now, into: &ownerEffects))
            translateOwner(now: now, into: &effects)
            tellFormerOwners(formers, into: &effects)
        }
        guard activated.isEmpty, takingOver.shards > 0 else { return }
        effects.append(.clusterNotice(.tookOver(shards: takingOver.shards, milliseconds: takingOver.milliseconds)))
        takingOver = (0, 0)
    }

    /// A node lets go no faster than others take over.
    private mutating func tellFormerOwners(
        _ formers: [NodeID: [Progress.ShardEpoch]], into effects: inout [NodeEffect]
    ) {
        for (node, shards) in formers.sorted(by: { $0.key < $1.key })
        where membership?.row(node)?.state == .alive {
            send(.coordination(.served(shards)), to: node, into: &effects)
        }
    }

    /// The registry as it lies here is what this node reads until it keeps it or hears of changes.
    mutating func observeRegistry() {
        owner.observe(
            registry: rows(of: Shard.registry).map { (kind: $0.kind, key: $0.key, value: $0.value) }, isWhole: true,
            into: &ownerEffects)
    }

    private func rows(of shard: UInt16) -> [(kind: UInt8, key: [UInt8], value: [UInt8])] {
        (shards?.rows(of: shard) ?? []).compactMap { row in row.value.map { (row.kind, row.key, $0) } }
    }

    private mutating func letGo(_ gone: [UInt16], now: Moment, into effects: inout [NodeEffect]) {
        counters.letGo += UInt64(gone.count)
        effects.append(.clusterNotice(.letGo(shards: gone.count)))
        owner.relinquish(gone, into: &ownerEffects)
        translateOwner(now: now, into: &effects)
    }

    // MARK: The owner

    /// Carries out what the owner wants. Its rows go to the tables of their shards, which give them versions, store
    /// them and send the copies.
    mutating func translateOwner(now: Moment, into effects: inout [NodeEffect]) {
        guard !ownerEffects.isEmpty else { return }
        let wanted = ownerEffects
        ownerEffects = []
        for effect in wanted {
            switch effect {
            case .write(let writes, let batch):
                shards?.write(writes, batch: batch, now: now.bootMilliseconds, into: &shardEffects)
            case .reply(let origin, let reply): effects.append(.reply(origin: origin, reply))
            case .receipt(let receipt): effects.append(.receipt(receipt))
            case .offer(let item, let destinations): effects.append(.offer(item, destinations))
            case .withdraw where settings.mutant == .lanesKeepMovedShards: break
            case .withdraw(let tickets): effects.append(.withdraw(tickets: tickets))
            case .notice(let notice): effects.append(.notice(notice))
            case .stage(let id, let stage): effects.append(.stage(eventID: id, stage))
            case .channelLost(let key): tellCoordinator(.channelLost(name: Array(key.nameBytes)), into: &effects)
            case .deviceTokenRefused(let destination, let fault): tellRegistry(destination, fault, into: &effects)
            }
        }
    }

    private mutating func tellCoordinator(_ message: CoordinationMessage, into effects: inout [NodeEffect]) {
        guard let leader = consensus?.leader else { return }
        send(.coordination(message), to: leader, into: &effects)
    }

    private mutating func tellRegistry(
        _ destination: Destination, _ fault: TokenFault?, into effects: inout [NodeEffect]
    ) {
        guard let keeper = state.placement[Shard.registry].owner, Int(destination.app) < settings.core.apps.count else {
            return
        }
        let message = CoordinationMessage.tokenRefused(
            kind: destination.kind.rawValue, app: settings.core.apps[Int(destination.app)],
            address: destination.address, fault: fault?.rawValue ?? 0)
        send(.coordination(message), to: keeper, into: &effects)
    }
}

extension Key {
    /// What follows the name's bytes in the key of instance 1 and partition 0.
    static var firstInstance: [UInt8] { [0, 0, 0, 1, 0, 0] }
}
