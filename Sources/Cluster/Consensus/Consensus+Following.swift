import Wire

/// Taking entries from the leader.
extension Consensus {
    struct Append {
        var term: UInt64
        var previousIndex: UInt64
        var previousTerm: UInt64
        var entries: [LogEntry]
        var committed: UInt64
        var round: UInt64
    }

    mutating func take(_ append: Append, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard Self.isLegal(append) else {
            counters.illegal += 1
            return
        }
        guard hear(term: append.term, from, round: append.round, now, &effects) else { return }
        guard agrees(append) else { return reject(append, from, &effects) }
        let verified = append.previousIndex + UInt64(append.entries.count)
        guard verified - min(verified, append.committed) <= 2 * UInt64(settings.logEntriesMax) else {
            counters.entriesOverflown += UInt64(append.entries.count)
            return
        }
        guard store(append.entries) else {
            counters.illegal += 1
            return
        }
        acknowledge(append, verified, from, &effects)
    }

    /// Whether (`term`, `from`) is this node's leader, also if only from now on. A leader of the past hears of the
    /// term that is.
    mutating func hear(
        term: UInt64, _ from: NodeID, round: UInt64, _ now: Int64, _ effects: inout [ConsensusEffect]
    ) -> Bool {
        guard term >= ballot.term else {
            counters.outdated += 1
            let answer = ConsensusMessage.appended(
                term: ballot.term, matched: 0, isRejected: true, hint: 0, round: round)
            sendInTerm(answer, to: from, &effects)
            return false
        }
        guard term > ballot.term || (role != .leader && (leader == nil || leader == from)) else {
            counters.illegal += 1
            return false
        }
        follow(term: term, leader: from, now)
        return true
    }

    /// Whether this log holds what the entries follow. What is committed is the same in the leader's log.
    private func agrees(_ append: Append) -> Bool {
        append.previousIndex <= committed || log.term(at: append.previousIndex) == append.previousTerm
    }

    /// Says where the logs may agree: before the whole run of entries of the term that does not fit.
    private mutating func reject(_ append: Append, _ from: NodeID, _ effects: inout [ConsensusEffect]) {
        counters.appendsRejected += 1
        let hint =
            append.previousIndex > log.lastIndex
            ? log.lastIndex : log.firstIndex(ofTermAt: append.previousIndex, floor: committed + 1) - 1
        let answer = ConsensusMessage.appended(
            term: ballot.term, matched: 0, isRejected: true, hint: hint, round: append.round)
        sendInTerm(answer, to: from, &effects)
    }

    /// Stores what is new; false, and nothing more is taken, when the entries contradict what is committed.
    private mutating func store(_ entries: [LogEntry]) -> Bool {
        for entry in entries {
            if let term = log.term(at: entry.index) {
                if term == entry.term { continue }
                guard entry.index > committed else { return false }
                cut(from: entry.index)
            } else if entry.index <= committed {
                continue
            }
            guard entry.term >= log.lastTerm else { return false }
            store(entry)
        }
        return true
    }

    /// Heartbeats are answered at once with what is durable; entries when they are.
    private mutating func acknowledge(
        _ append: Append, _ verified: UInt64, _ from: NodeID, _ effects: inout [ConsensusEffect]
    ) {
        let matched = settings.mutant == .staleTailAcknowledged ? max(verified, log.lastIndex) : verified
        commit(to: min(append.committed, matched), &effects)
        flush(&effects)
        let isHeartbeat = append.entries.isEmpty && settings.mutant != .ackBeforeSave
        let answer = ConsensusMessage.appended(
            term: ballot.term, matched: isHeartbeat ? min(matched, durable) : matched, isRejected: false, hint: 0,
            round: append.round)
        if isHeartbeat {
            sendInTerm(answer, to: from, &effects)
        } else if settings.mutant == .ackBeforeSave {
            effects.append(.send(answer, to: from, isAfterSave: false))
        } else {
            sendSaved(answer, to: from, &effects)
        }
    }

    /// Entries follow each other and their terms never fall or lie above the leader's.
    private static func isLegal(_ append: Append) -> Bool {
        guard append.previousIndex <= indexMax, append.previousTerm <= append.term else { return false }
        guard append.committed <= indexMax, (append.previousIndex == 0) == (append.previousTerm == 0) else {
            return false
        }
        var index = append.previousIndex
        var term = append.previousTerm
        for entry in append.entries {
            index += 1
            guard entry.index == index, entry.term >= max(term, 1), entry.term <= append.term else { return false }
            guard entry.payload.count <= LogEntry.bytesMax, isReadable(entry) else { return false }
            term = entry.term
        }
        return true
    }

    private static func isReadable(_ entry: LogEntry) -> Bool {
        guard entry.kind == .voters else { return true }
        guard case .success(let set) = VoterSet.decode(entry.payload) else { return false }
        return !set.voters.isEmpty
    }
}
