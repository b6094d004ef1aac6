import Wire

/// Rows that come to this node: it is behind, or it is a new owner and somebody else is ahead.
extension ShardSet {
    mutating func rows(_ piece: RowsPiece, from place: Int, now: Int64, into effects: inout [ShardEffect]) {
        guard piece.shard <= Shard.registry else { return counters.unknownShards += 1 }
        let index = Int(piece.shard)
        let isFetching = shards[index].stage == .fetching && shards[index].source == place
        guard piece.epoch == shards[index].promised, isFetching || !shards[index].isLeading else {
            counters.piecesDropped += 1
            return
        }
        if isOutrun(piece, index) {
            counters.piecesDropped += 1
            return
        }
        if piece.piece == 0 { beginArrival(piece, index, place, into: &effects) }
        guard var arrival = arrivals.removeValue(forKey: piece.shard) else {
            counters.piecesDropped += 1
            return
        }
        guard arrival.peer == place, arrival.epoch == piece.epoch, arrival.to == piece.to,
            arrival.nextPiece == piece.piece
        else {
            stagedBytes -= arrival.byteCount
            counters.piecesDropped += 1
            return
        }
        arrival.nextPiece += 1
        if isFetching { shards[index].sourceSince = now }
        if piece.isLast {
            stagedBytes -= arrival.byteCount
            complete(piece, staged: arrival.staged, index, place, into: &effects)
        } else {
            keep(piece, arrival, index, place, into: &effects)
        }
    }

    /// Whether this table has taken later changes of the same epoch than the rows have: they were under way on a
    /// connection that another one took over from, and would take the table back.
    private func isOutrun(_ piece: RowsPiece, _ index: Int) -> Bool {
        let table = shards[index].table
        return table.isValid && table.watermark.epoch == piece.epoch && piece.to < table.watermark
    }

    private mutating func beginArrival(
        _ piece: RowsPiece, _ index: Int, _ place: Int, into effects: inout [ShardEffect]
    ) {
        dropArrival(piece.shard)
        let table = shards[index].table
        guard piece.isWhole || (table.isValid && table.watermark == piece.from) else {
            // Whoever sent it asks, or is asked, again when it hears where this table stands.
            if !shards[index].isLeading { refuse(index, piece.to, to: place) }
            return
        }
        arrivals[piece.shard] = RowsArrival(peer: place, epoch: piece.epoch, to: piece.to)
        // A table that does not count needs no second place for what it gets.
        guard piece.isWhole, !table.isValid, !piece.isLast else { return }
        var writes: [StoreWrite] = []
        removeAll(index, but: [], writes: &writes)
        if shards[index].table.validity != .distrusted { shards[index].table.validity = .invalid }
        writes.append(stateRow(index))
        effects.append(.store(writes))
    }

    private mutating func keep(
        _ piece: RowsPiece, _ arrival: RowsArrival, _ index: Int, _ place: Int, into effects: inout [ShardEffect]
    ) {
        var arrival = arrival
        if shards[index].table.isValid {
            let byteCount = piece.rows.reduce(0) { $0 + $1.key.count + ($1.value?.count ?? 0) + 32 }
            guard stagedBytes + byteCount <= settings.stagedBytesMax else {
                stagedBytes -= arrival.byteCount
                counters.piecesDropped += 1
                return
            }
            stagedBytes += byteCount
            arrival.byteCount += byteCount
            arrival.staged.append(contentsOf: piece.rows)
        } else {
            var writes: [StoreWrite] = []
            for row in piece.rows { put(index, row, version: row.version, rows: &writes) }
            effects.append(.store(writes))
            tell(piece.rows, index, into: &effects)
        }
        arrivals[piece.shard] = arrival
        effects.append(
            .send(
                .rowsTaken(shard: piece.shard, epoch: piece.epoch, piece: piece.piece, to: piece.to),
                to: peers[place].node))
    }

    /// The last piece is here: the table is what the sender's was.
    private mutating func complete(
        _ piece: RowsPiece, staged: [ShardRow], _ index: Int, _ place: Int, into effects: inout [ShardEffect]
    ) {
        let isFirst = piece.piece == 0
        guard piece.isWhole || shards[index].table.watermark == piece.from else {
            counters.piecesDropped += 1
            if !shards[index].isLeading { refuse(index, piece.to, to: place) }
            return
        }
        let rows = staged.isEmpty ? piece.rows : staged + piece.rows
        var writes: [StoreWrite] = []
        if piece.isWhole, isFirst || shards[index].table.isValid {
            let kept = Set(rows.map { ShardTable.Name(kind: $0.kind, key: $0.key) })
            tell(removeAll(index, but: kept, writes: &writes), index, into: &effects)
        }
        for row in rows { put(index, row, version: row.version, rows: &writes) }
        shards[index].table.rebuildTombstones()
        drop(index, upTo: piece.purge, rows: &writes)
        shards[index].table.watermark = piece.to
        shards[index].table.base = piece.base
        shards[index].table.validity = .valid
        peers[place].makeUp(piece.shard, upTo: piece.to)
        writes.append(stateRow(index))
        effects.append(.store(writes))
        tell(rows, index, into: &effects)
        let taken = ReplicationMessage.rowsTaken(
            shard: piece.shard, epoch: piece.epoch, piece: piece.piece, to: piece.to)
        effects.append(.sendAfterStored(taken, to: peers[place].node))
        evaluate(index)
    }

    /// Removes all rows but those named, and gives the removed ones as deletions.
    @discardableResult
    private mutating func removeAll(
        _ index: Int, but kept: Set<ShardTable.Name>, writes: inout [StoreWrite]
    ) -> [ShardRow] {
        let shard = UInt16(truncatingIfNeeded: index)
        let removed = shards[index].table.removeAll(but: kept)
        for row in removed {
            writes.append(
                StoreWrite(
                    kind: StoredKind(rawValue: row.name.kind) ?? .record,
                    key: StoredShard.key(shard: shard, row.name.key),
                    value: nil))
        }
        return removed.compactMap {
            $0.value == nil ? nil : ShardRow(kind: $0.name.kind, key: $0.name.key, version: $0.version, value: nil)
        }
    }

    private func tell(_ rows: [ShardRow], _ index: Int, into effects: inout [ShardEffect]) {
        guard index == Int(Shard.registry), !shards[index].isLeading, !rows.isEmpty else { return }
        effects.append(.registryChanged(rows))
    }
}
