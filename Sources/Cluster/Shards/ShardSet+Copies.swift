public import Wire

/// What other nodes say about shards, and copies on the replica's side.
extension ShardSet {
    /// A message of another member's run. `batch` is the node's open batch: rows that are emitted now become durable
    /// with it.
    public mutating func handle(
        _ message: ReplicationMessage, from node: NodeID, generation: UInt64, batch: UInt64, now: Int64,
        into effects: inout [ShardEffect]
    ) {
        let place = peer(node)
        guard generation >= peers[place].generation else { return counters.staleMessages += 1 }
        if generation > peers[place].generation { peerChanged(node, generation: generation, now: now) }
        switch message {
        case .copies(let stream, let sections):
            copies(stream, sections, from: place, into: &effects)
        case .copied(let stream, let refused):
            copied(stream, refused, from: place, now: now, into: &effects)
        case .promise(let requests):
            promise(requests, from: place, into: &effects)
        case .promised(let answers):
            peers[place].askDelay = settings.promiseRetryMilliseconds
            promised(answers, from: place, into: &effects)
        case .rows(let piece):
            rows(piece, from: place, now: now, into: &effects)
        case .rowsTaken(let shard, let epoch, let piece, let to):
            rowsTaken(shard, epoch: epoch, piece: piece, to: to, from: place, now: now)
        case .rowsWanted(let requests):
            rowsWanted(requests, from: place)
        case .digests(let digests):
            compare(digests, from: place, into: &effects)
        }
        checkAll(into: &effects)
    }

    private mutating func copies(
        _ stream: UInt64, _ sections: [CopySection], from place: Int, into effects: inout [ShardEffect]
    ) {
        let received = peers[place].received
        guard stream == received + 1 || (stream >> 32 > received >> 32 && stream & 0xffff_ffff == 1) else {
            if stream > received { peers[place].lostStream = (stream >> 32) << 32 }
            return
        }
        if stream >> 32 > received >> 32 { peers[place].refused = [:] }
        peers[place].received = stream
        peers[place].isAcknowledgementDue = true
        var writes: [StoreWrite] = []
        for section in sections {
            guard section.shard <= Shard.registry else {
                counters.unknownShards += 1
                continue
            }
            take(section, from: place, writes: &writes, into: &effects)
        }
        if !writes.isEmpty { effects.append(.store(writes)) }
    }

    private mutating func take(
        _ section: CopySection, from place: Int, writes: inout [StoreWrite], into effects: inout [ShardEffect]
    ) {
        let index = Int(section.shard)
        guard fits(section) else {
            counters.sectionsRefused += 1
            return refuse(index, section.version, to: place)
        }
        counters.sectionsTaken += 1
        if !peers[place].refused.isEmpty { peers[place].makeUp(section.shard, upTo: section.version) }
        shards[index].table.watermark = section.version
        if section.version.count == 1 { shards[index].table.base = section.previous }
        apply(section, rows: &writes)
        // Only rows say on disk how far a table is.
        if section.rows.isEmpty { writes.append(stateRow(index)) }
        if section.shard == Shard.registry, !section.rows.isEmpty { effects.append(.registryChanged(section.rows)) }
    }

    private func fits(_ section: CopySection) -> Bool {
        let index = Int(section.shard)
        let epoch = section.version.epoch
        let promised = shards[index].promised
        guard settings.mutant == .noEpochFence ? epoch <= promised : epoch == promised else { return false }
        let watermark = shards[index].table.watermark
        let follows =
            settings.mutant == .gapAccepted ? section.version > watermark : section.previous == watermark
        return follows && !shards[index].isLeading && shards[index].table.isValid
            && section.version > section.previous
    }

    mutating func refuse(_ index: Int, _ version: ShardVersion, to place: Int) {
        peers[place].isAcknowledgementDue = true
        let shard = UInt16(truncatingIfNeeded: index)
        peers[place].refused[shard] = max(version, peers[place].refused[shard] ?? .zero)
    }

    /// Acknowledges what came from a peer in this turn.
    mutating func flushAnswers(_ place: Int, into effects: inout [ShardEffect]) {
        let node = peers[place].node
        if peers[place].isAcknowledgementDue {
            peers[place].isAcknowledgementDue = false
            let refused = peers[place].refused.keys.sorted().map {
                CopyRefusal(
                    shard: $0, watermark: shards[Int($0)].table.watermark, promised: shards[Int($0)].promised)
            }
            let message = ReplicationMessage.copied(stream: peers[place].received, refused: refused)
            let isEarly = settings.mutant == .copiedBeforeStored
            effects.append(isEarly ? .send(message, to: node) : .sendAfterStored(message, to: node))
        }
        if let stream = peers[place].lostStream {
            peers[place].lostStream = nil
            effects.append(.send(.copied(stream: stream, refused: []), to: node))
        }
    }
}
