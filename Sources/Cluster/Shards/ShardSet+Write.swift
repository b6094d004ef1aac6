import Delivery
import Wire

/// The owner's changes, and the copies of them that leave at once.
extension ShardSet {
    /// The changes of a turn for shards that are active here; writes to others are dropped and counted. Once per turn:
    /// each call gives one version per shard.
    public mutating func write(
        _ writes: [ShardWrite], batch: UInt64, now: Int64, into effects: inout [ShardEffect]
    ) {
        serial += 1
        var sections: [CopySection] = []
        for write in writes {
            guard write.shard <= Shard.registry, shards[Int(write.shard)].stage == .active else {
                counters.writesDropped += 1
                continue
            }
            let index = Int(write.shard)
            if shards[index].sectionTurn != serial { begin(index, batch: batch, sections: &sections) }
            let version = shards[index].table.watermark
            sections[shards[index].section].rows.append(
                ShardRow(kind: write.kind, key: write.key, version: version, value: write.value))
        }
        guard !sections.isEmpty else { return }
        var rows: [StoreWrite] = []
        rows.reserveCapacity(writes.count)
        for section in sections { finish(section, rows: &rows) }
        effects.append(.store(rows))
        for place in peers.indices { flushCopies(place, now: now, into: &effects) }
    }

    /// Gives the next version of a shard and begins its section.
    mutating func begin(_ index: Int, batch: UInt64, sections: inout [CopySection]) {
        let previous = shards[index].table.watermark
        let version = ShardVersion(epoch: previous.epoch, count: previous.count + 1)
        shards[index].sectionTurn = serial
        shards[index].section = sections.count
        shards[index].table.watermark = version
        shards[index].note(count: version.count, batch: batch, limit: settings.uncommittedMax)
        let shard = UInt16(truncatingIfNeeded: index)
        ownChanges.append(OwnChange(batch: batch, shard: shard, epoch: version.epoch, count: version.count))
        sections.append(
            CopySection(
                shard: shard, version: version, previous: previous, purge: purgeWithWrite(index), rows: []))
    }

    /// Up to where tombstones are dropped with this change: each that everybody has passed, once there are some.
    private func purgeWithWrite(_ index: Int) -> ShardVersion {
        let purge = shards[index].table.purge
        guard shards[index].table.tombstoneCount >= Self.tombstonesKept, settings.mutant != .tombstonesDroppedEarly
        else { return purge }
        let passed = shards[index].members.durableOnAll(own: shards[index].ownDurable)
        guard passed > 0 else { return purge }
        return max(purge, ShardVersion(epoch: shards[index].table.watermark.epoch, count: passed))
    }

    /// So many tombstones are dropped in one go, not one by one.
    static let tombstonesKept = 16

    mutating func finish(_ section: CopySection, rows: inout [StoreWrite]) {
        let index = Int(section.shard)
        apply(section, rows: &rows)
        for member in shards[index].members where member.state == .streaming {
            peers[member.peer].sections.append(section)
        }
    }

    /// Puts a section's rows into the table and on disk, on the owner and on each replica alike.
    mutating func apply(_ section: CopySection, rows: inout [StoreWrite]) {
        let index = Int(section.shard)
        for row in section.rows {
            put(index, row, version: section.version, rows: &rows)
        }
        guard section.purge > shards[index].table.purge else { return }
        drop(index, upTo: section.purge, rows: &rows)
        rows.append(stateRow(index))
    }

    mutating func put(_ index: Int, _ row: ShardRow, version: ShardVersion, rows: inout [StoreWrite]) {
        guard let kind = StoredKind(rawValue: row.kind), row.kind < StoredKind.node.rawValue else { return }
        let name = ShardTable.Name(kind: row.kind, key: row.key)
        let key = StoredShard.key(shard: UInt16(truncatingIfNeeded: index), row.key)
        if row.value == nil, settings.mutant == .tombstonesDroppedEarly {
            shards[index].table.remove(name)
            rows.append(StoreWrite(kind: kind, key: key, value: nil))
        } else {
            shards[index].table.put(name, version: version, value: row.value)
            rows.append(
                StoreWrite(kind: kind, key: key, value: StoredShard.value(row.value, version: version)))
        }
    }

    /// Forgets tombstones.
    mutating func drop(_ index: Int, upTo purge: ShardVersion, rows: inout [StoreWrite]) {
        shards[index].table.purge = purge
        for name in shards[index].table.drop(upTo: purge) {
            counters.tombstonesDropped += 1
            let key = StoredShard.key(shard: UInt16(truncatingIfNeeded: index), name.key)
            rows.append(StoreWrite(kind: StoredKind(rawValue: name.kind) ?? .record, key: key, value: nil))
        }
    }

    // MARK: Streams

    /// Sends what was collected for a peer.
    mutating func flushCopies(_ place: Int, now: Int64, into effects: inout [ShardEffect]) {
        guard !peers[place].sections.isEmpty else { return }
        let sections = peers[place].sections
        peers[place].sections = []
        var message: [CopySection] = []
        var byteCount = 0
        for section in sections {
            let size = section.rows.reduce(40) { $0 + $1.key.count + ($1.value?.count ?? 0) + 16 }
            if byteCount + size > settings.messageBytes, !message.isEmpty {
                sendCopies(message, byteCount, place, now: now, into: &effects)
                message = []
                byteCount = 0
            }
            message.append(section)
            byteCount += size
        }
        sendCopies(message, byteCount, place, now: now, into: &effects)
        if peers[place].bytesUnderWay > settings.copiesBytesMax { loseStream(place, now: now) }
    }

    mutating func sendCopies(
        _ sections: [CopySection], _ byteCount: Int, _ place: Int, now: Int64, into effects: inout [ShardEffect]
    ) {
        peers[place].stream += 1
        let stream = peers[place].stream
        for section in sections {
            peers[place].copies.append(
                ShardPeer.Copy(
                    stream: stream, shard: section.shard, epoch: section.version.epoch, count: section.version.count))
        }
        peers[place].messages.append(ShardPeer.Message(stream: stream, byteCount: byteCount, sentAt: now))
        peers[place].bytesUnderWay += byteCount
        retryAt = min(retryAt, now + fetchMilliseconds)
        effects.append(.send(.copies(stream: stream, sections: sections), to: peers[place].node))
    }

    /// Something on the way to a peer was lost, or it does not answer: what it has not acknowledged it lacks, until it
    /// says where it stands.
    mutating func loseStream(_ place: Int, now: Int64) {
        counters.streamsLost += 1
        for copy in peers[place].copies.all {
            let index = Int(copy.shard)
            guard isOpen(index, copy.epoch),
                let member = shards[index].members.place(of: place),
                shards[index].members[member].state == .streaming
            else { continue }
            forget(index, member)
        }
        peers[place].copies = FIFO()
        peers[place].messages = FIFO()
        peers[place].bytesUnderWay = 0
        beginStream(place)
        retryAt = min(retryAt, now + settings.promiseRetryMilliseconds)
    }

    /// Numbers what follows as a new stream; nothing may be under way.
    private mutating func beginStream(_ place: Int) {
        peers[place].stream = (peers[place].stream >> 32 + 1) << 32
        peers[place].isRefused = false
    }

    /// A member has to say again where it stands.
    mutating func forget(_ index: Int, _ member: Int) {
        shards[index].members[member].state = .unknown
        shards[index].members[member].isReported = false
        peers[shards[index].members[member].peer].mayBeUnknown = true
    }

    /// A peer has acknowledged copies.
    mutating func copied(
        _ stream: UInt64, _ refused: [CopyRefusal], from place: Int, now: Int64, into effects: inout [ShardEffect]
    ) {
        guard stream >> 32 == peers[place].stream >> 32, stream <= peers[place].stream else { return }
        // The stream's number alone: the peer lacks its beginning or something in the middle.
        guard stream & 0xffff_ffff != 0 else { return loseStream(place, now: now) }
        serial += 1
        for refusal in refused where refusal.shard <= Shard.registry {
            shards[Int(refusal.shard)].refusalTurn = serial
        }
        while let message = peers[place].messages.first, message.stream <= stream {
            peers[place].messages.removeFirst()
            peers[place].bytesUnderWay -= message.byteCount
        }
        while let copy = peers[place].copies.first, copy.stream <= stream {
            peers[place].copies.removeFirst()
            let index = Int(copy.shard)
            guard isOpen(index, copy.epoch), shards[index].refusalTurn != serial,
                let member = shards[index].members.place(of: place)
            else { continue }
            shards[index].members[member].matched = max(shards[index].members[member].matched, copy.count)
            lookAt(index)
        }
        for refusal in refused { refusedBy(place, refusal, stream: stream, into: &effects) }
        if !refused.isEmpty { peers[place].isRefused = true }
        if peers[place].isRefused, peers[place].messages.isEmpty { beginStream(place) }
    }

    private mutating func refusedBy(
        _ place: Int, _ refusal: CopyRefusal, stream: UInt64, into effects: inout [ShardEffect]
    ) {
        guard refusal.shard <= Shard.registry else { return counters.unknownShards += 1 }
        let index = Int(refusal.shard)
        guard shards[index].isOpen, let member = shards[index].members.place(of: place) else { return }
        if refusal.promised > shards[index].epoch { return fence(index, into: &effects) }
        guard shards[index].members[member].state == .streaming, stream >= shards[index].members[member].since
        else { return }
        forget(index, member)
        ask(index)
    }
}
