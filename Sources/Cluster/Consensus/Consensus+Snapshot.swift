import Wire

/// Snapshots: making the log shorter, and bringing the state to those whose next entry is gone.
extension Consensus {
    struct Piece {
        var term: UInt64
        var index: UInt64
        var lastTerm: UInt64
        var voters: VoterSet
        var offset: Int
        var bytes: [UInt8]
        var isLast: Bool
    }

    /// `state` is what all entries up to `index` have made of the state: they are not needed any more. `index` has been
    /// applied; `state` is not longer than `snapshotBytesMax`.
    public mutating func compact(upTo index: UInt64, state: [UInt8], into effects: inout [ConsensusEffect]) {
        let former = snapshot?.index ?? 0
        guard index > former, let term = log.term(at: index) else { return }
        precondition(index <= committed, "\(index) is not yet applied, only \(committed)")
        precondition(state.count <= settings.snapshotBytesMax, "\(state.count) bytes are too much for a snapshot")
        let made = ConsensusSnapshot(index: index, term: term, voters: configuration(at: index), state: state)
        snapshot = made
        writes.append(ConsensusRows.write(made))
        for gone in (former + 1)...index { writes.append(ConsensusRows.delete(entry: gone)) }
        forgetConfigurations(below: index)
        forgetEntries(upTo: index)
        flush(&effects)
    }

    /// The newest set at or below `index` becomes the first one.
    private mutating func forgetConfigurations(below index: UInt64) {
        let set = configuration(at: index)
        configurations = [(index, set)] + configurations.filter { $0.index > index }
    }

    /// Keeps some entries in memory for members that are a little behind.
    private mutating func forgetEntries(upTo index: UInt64) {
        var first = index
        var bytes = 0
        while first > log.baseIndex, index - first < UInt64(settings.keptEntriesMax), let entry = log.entry(at: first) {
            bytes += entry.payload.count
            guard bytes <= settings.keptBytesMax else { break }
            first -= 1
        }
        log.dropFirst(upTo: first)
    }

    // MARK: Sending

    mutating func beginSnapshot(to member: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard let snapshot, var peer = peers[member] else {
            preconditionFailure("the log begins at \(log.baseIndex) and there is no snapshot")
        }
        peer.mode = .snapshot
        peer.snapshot = snapshot
        peer.snapshotOffset = 0
        peer.inflight = []
        peers[member] = peer
        sendPiece(to: member, now, &effects)
    }

    private mutating func sendPiece(to member: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard let peer = peers[member], let snapshot = peer.snapshot else { return }
        let end = min(snapshot.state.count, peer.snapshotOffset + settings.snapshotPieceBytes)
        peers[member]?.pieceSentAt = now
        let piece = ConsensusMessage.snapshot(
            term: ballot.term, index: snapshot.index, lastTerm: snapshot.term, voters: snapshot.voters,
            offset: UInt32(peer.snapshotOffset), bytes: Array(snapshot.state[peer.snapshotOffset..<end]),
            isLast: end == snapshot.state.count)
        effects.append(.send(piece, to: member, isAfterSave: false))
    }

    mutating func resendPiece(to member: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard let peer = peers[member], now - peer.pieceSentAt >= settings.heartbeatMilliseconds else { return }
        sendPiece(to: member, now, &effects)
    }

    mutating func pieceTaken(
        term: UInt64, index: UInt64, offset: Int, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]
    ) {
        guard let peer = peers[from] else {
            counters.fromStrangers += 1
            return
        }
        if term > ballot.term { return follow(term: term, leader: nil, now) }
        guard role == .leader, term == ballot.term, let snapshot = peer.snapshot, snapshot.index == index else {
            return outdated()
        }
        guard offset <= snapshot.state.count else {
            counters.illegal += 1
            return
        }
        let isProgress = offset > peer.snapshotOffset
        peers[from]?.snapshotOffset = offset
        // A step back is an old answer or a receiver that has begun again: the next heartbeat resends.
        if isProgress, offset < snapshot.state.count { sendPiece(to: from, now, &effects) }
    }

    // MARK: Taking

    mutating func take(_ piece: Piece, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard (1...Self.indexMax).contains(piece.index), piece.lastTerm >= 1, piece.lastTerm <= piece.term,
            !piece.voters.voters.isEmpty
        else {
            counters.illegal += 1
            return
        }
        guard hear(term: piece.term, from, round: 0, now, &effects) else { return }
        guard piece.index > committed else {
            incoming = nil
            return acknowledgeSnapshot(piece, from, &effects)
        }
        guard collect(piece, from, &effects), let bytes = incoming?.bytes, piece.isLast else { return }
        incoming = nil
        install(
            ConsensusSnapshot(index: piece.index, term: piece.lastTerm, voters: piece.voters, state: bytes), &effects)
        acknowledgeSnapshot(piece, from, &effects)
    }

    /// Puts a piece to those before it; false when it does not follow them, or is too much.
    private mutating func collect(_ piece: Piece, _ from: NodeID, _ effects: inout [ConsensusEffect]) -> Bool {
        var state =
            incoming
            ?? IncomingSnapshot(
                sender: from, term: piece.term, index: piece.index, lastTerm: piece.lastTerm, bytes: [])
        if state.sender != from || state.term != piece.term || state.index != piece.index
            || state.lastTerm != piece.lastTerm
        {
            state = IncomingSnapshot(
                sender: from, term: piece.term, index: piece.index, lastTerm: piece.lastTerm, bytes: [])
        }
        let follows = piece.offset == state.bytes.count
        guard state.bytes.count + piece.bytes.count <= settings.snapshotBytesMax else {
            counters.snapshotsOverflown += 1
            incoming = nil
            return false
        }
        if follows { state.bytes += piece.bytes }
        incoming = state
        let taken = ConsensusMessage.snapshotTaken(
            term: ballot.term, index: piece.index, offset: UInt32(state.bytes.count))
        sendInTerm(taken, to: from, &effects)
        return follows
    }

    private mutating func acknowledgeSnapshot(_ piece: Piece, _ from: NodeID, _ effects: inout [ConsensusEffect]) {
        flush(&effects)
        let answer = ConsensusMessage.appended(
            term: ballot.term, matched: piece.index, isRejected: false, hint: 0, round: 0)
        sendSaved(answer, to: from, &effects)
    }

    /// Puts the snapshot in the place of everything up to it. Entries behind it stay only if the log holds the very
    /// entry that it ends with.
    private mutating func install(_ snapshot: ConsensusSnapshot, _ effects: inout [ConsensusEffect]) {
        counters.snapshotsInstalled += 1
        let first = (self.snapshot?.index ?? 0) + 1
        let last = log.lastIndex
        let keepsTail = log.term(at: snapshot.index) == snapshot.term
        let isMutant = settings.mutant == .snapshotKeepsConflictingTail
        self.snapshot = snapshot
        writes.append(ConsensusRows.write(snapshot))
        let end = keepsTail || isMutant ? min(snapshot.index, last) : last
        if first <= end { for gone in first...end { writes.append(ConsensusRows.delete(entry: gone)) } }
        if keepsTail {
            log.dropFirst(upTo: snapshot.index)
        } else {
            let tail = isMutant ? log.slice(from: snapshot.index + 1, countMax: .max, bytesMax: .max) : []
            counters.truncated += last > snapshot.index ? last - snapshot.index : 0
            log = ConsensusLog(baseIndex: snapshot.index, baseTerm: snapshot.term, entries: tail)
        }
        configurations =
            [(snapshot.index, snapshot.voters)] + configurations.filter { keepsTail && $0.index > snapshot.index }
        limitDurable(to: keepsTail ? log.lastIndex : 0)
        saving.append((lastMark + 1, keepsTail ? max(durable, snapshot.index) : snapshot.index))
        flush(&effects)
        committed = snapshot.index
        effects.append(.install(state: snapshot.state, index: snapshot.index))
        mend(with: snapshot.term)
    }
}
