import Delivery
import Wire

/// Rows towards a member that is behind, or to a new owner that asked for them.
extension ShardSet {
    /// A member of a shard that is owned here gets what it lacks.
    mutating func queueRows(_ index: Int, _ member: Int) {
        let held = shards[index].members[member]
        let table = shards[index].table
        let isWhole = !held.isValid || held.needsWhole || !extends(table, held.watermark)
        serial += 1
        shards[index].members[member].state = .syncing
        shards[index].members[member].job = serial
        if isWhole { shards[index].members[member].matched = 0 }
        peers[held.peer].jobs.append(
            RowsJob(
                shard: UInt16(truncatingIfNeeded: index), epoch: shards[index].epoch,
                from: isWhole ? .zero : held.watermark, isWhole: isWhole, isForOwner: false, serial: serial))
    }

    private func extends(_ table: ShardTable, _ version: ShardVersion) -> Bool {
        table.extends(version) || (settings.mutant == .divergentTailKept && version != .zero)
    }

    /// A new owner, or a member, asks for what it lacks.
    mutating func rowsWanted(_ requests: [RowsRequest], from place: Int) {
        for request in requests {
            guard request.shard <= Shard.registry else {
                counters.unknownShards += 1
                continue
            }
            let index = Int(request.shard)
            guard !shards[index].isLeading, shards[index].promised == request.epoch, shards[index].table.isValid,
                !peers[place].jobs.all.contains(where: { $0.shard == request.shard })
            else { continue }
            removeTransfer(of: request.shard, to: place)
            let isWhole = !extends(shards[index].table, request.watermark)
            peers[place].jobs.append(
                RowsJob(
                    shard: request.shard, epoch: request.epoch, from: isWhole ? .zero : request.watermark,
                    isWhole: isWhole, isForOwner: true))
        }
    }

    private mutating func removeTransfer(of shard: UInt16, to place: Int) {
        guard let found = peers[place].transfers.firstIndex(where: { $0.job.shard == shard }) else { return }
        let transfer = peers[place].transfers.remove(at: found)
        peers[place].rowBytesUnderWay -= transfer.underWay.all.reduce(0) { $0 + $1.byteCount }
    }

    /// Sends as many rows as the peer's credit allows.
    mutating func pump(_ place: Int, now: Int64, into effects: inout [ShardEffect]) {
        for transfer in peers[place].transfers.indices where !peers[place].transfers[transfer].isSent {
            sendPieces(place, transfer, now: now, into: &effects)
        }
        while let job = peers[place].jobs.first, hasCredit(place) {
            let isLarge = shards[Int(job.shard)].table.byteCount > settings.pieceBytes
            if isLarge {
                let large = peers[place].transfers.reduce(0) { $0 + ($1.isSent ? 0 : 1) }
                guard large < settings.shardsSyncingPerPeer else { return }
            }
            peers[place].jobs.removeFirst()
            begin(job, place, now: now, into: &effects)
        }
    }

    private func hasCredit(_ place: Int) -> Bool {
        peers[place].rowBytesUnderWay < settings.pieceBytes * settings.piecesInFlightPerPeer
    }

    private func isWanted(_ job: RowsJob, _ place: Int) -> Bool {
        let held = shards[Int(job.shard)]
        if job.isForOwner { return !held.isLeading && held.promised == job.epoch }
        guard held.isOpen, held.epoch == job.epoch, let member = held.members.place(of: place) else { return false }
        return held.members[member].state == .syncing && held.members[member].job == job.serial
    }

    private mutating func begin(_ job: RowsJob, _ place: Int, now: Int64, into effects: inout [ShardEffect]) {
        guard isWanted(job, place) else { return }
        removeTransfer(of: job.shard, to: place)
        let index = Int(job.shard)
        let table = shards[index].table
        var rows: [ShardRow] = []
        var byteCount = 0
        for row in table.rows where job.isWhole || row.version > job.from {
            rows.append(row.travelling)
            byteCount += row.byteCount
        }
        if job.isWhole { counters.wholeTransfers += 1 }
        peers[place].transfers.append(
            RowsTransfer(
                job: job, to: table.watermark, base: table.base, purge: table.purge, rows: rows, progressAt: now))
        retryAt = min(retryAt, now + fetchMilliseconds)
        sendPieces(place, peers[place].transfers.count - 1, now: now, into: &effects)
        guard byteCount <= settings.pieceBytes, !job.isForOwner, let member = shards[index].members.place(of: place)
        else { return }
        // All of it is in one piece that stands in front of whatever copies follow.
        shards[index].members[member].needsWhole = false
        stream(index, member)
    }

    private mutating func sendPieces(
        _ place: Int, _ transfer: Int, now: Int64, into effects: inout [ShardEffect]
    ) {
        while !peers[place].transfers[transfer].isSent, hasCredit(place) {
            let piece = cut(place, transfer)
            counters.piecesSent += 1
            effects.append(.send(.rows(piece), to: peers[place].node))
        }
    }

    private mutating func cut(_ place: Int, _ transfer: Int) -> RowsPiece {
        let state = peers[place].transfers[transfer]
        var end = state.next
        var byteCount = 0
        while end < state.rows.count {
            let size = state.rows[end].key.count + (state.rows[end].value?.count ?? 0) + 32
            if byteCount > 0, byteCount + size > settings.pieceBytes { break }
            byteCount += size
            end += 1
        }
        let isLast = end == state.rows.count
        peers[place].transfers[transfer].next = end
        peers[place].transfers[transfer].piece += 1
        peers[place].transfers[transfer].isSent = isLast
        peers[place].transfers[transfer].underWay.append((state.piece, byteCount + 64))
        peers[place].rowBytesUnderWay += byteCount + 64
        return RowsPiece(
            shard: state.job.shard, epoch: state.job.epoch, from: state.job.from, to: state.to, base: state.base,
            isWhole: state.job.isWhole, piece: state.piece, isLast: isLast, purge: state.purge,
            rows: Array(state.rows[state.next..<end]))
    }

    /// A peer has taken pieces.
    mutating func rowsTaken(
        _ shard: UInt16, epoch: UInt64, piece: UInt32, to: ShardVersion, from place: Int, now: Int64
    ) {
        let found = peers[place].transfers.firstIndex {
            $0.job.shard == shard && $0.job.epoch == epoch && $0.to == to
        }
        guard let found, piece < peers[place].transfers[found].piece else { return }
        peers[place].transfers[found].progressAt = now
        while let next = peers[place].transfers[found].underWay.first, next.piece <= piece {
            peers[place].transfers[found].underWay.removeFirst()
            peers[place].rowBytesUnderWay -= next.byteCount
        }
        let transfer = peers[place].transfers[found]
        guard transfer.isSent, transfer.underWay.isEmpty else { return }
        peers[place].transfers.remove(at: found)
        guard !transfer.job.isForOwner else { return }
        finish(Int(shard), transfer, place)
    }

    /// All rows of a transfer are durable at the member.
    private mutating func finish(_ index: Int, _ transfer: RowsTransfer, _ place: Int) {
        guard isOpen(index, transfer.job.epoch),
            let member = shards[index].members.place(of: place), shards[index].members[member].state != .unknown
        else { return }
        shards[index].members[member].matched = max(shards[index].members[member].matched, transfer.to.count)
        lookAt(index)
        guard shards[index].members[member].state == .syncing else { return }
        shards[index].members[member].needsWhole = false
        shards[index].members[member].isValid = true
        shards[index].members[member].watermark = transfer.to
        bringInStep(index, member)
    }

    /// Gives up transfers that make no progress.
    mutating func expireTransfers(_ place: Int, now: Int64) {
        let limit = now - fetchMilliseconds
        let late = peers[place].transfers.filter { $0.progressAt <= limit }
        guard !late.isEmpty else { return }
        peers[place].transfers.removeAll { $0.progressAt <= limit }
        for transfer in late {
            peers[place].rowBytesUnderWay -= transfer.underWay.all.reduce(0) { $0 + $1.byteCount }
            let index = Int(transfer.job.shard)
            guard !transfer.job.isForOwner, isOpen(index, transfer.job.epoch),
                let member = shards[index].members.place(of: place)
            else { continue }
            forget(index, member)
        }
    }
}
