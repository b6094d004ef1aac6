import Wire

/// What is to be durable, and how far it is.
extension Consensus {
    /// Hands out everything that waits to be saved as one transaction.
    mutating func flush(_ effects: inout [ConsensusEffect]) {
        guard !writes.isEmpty else { return }
        lastMark += 1
        effects.append(.save(writes: writes, mark: lastMark))
        writes = []
    }

    /// Sends once everything so far is durable.
    func sendSaved(_ message: ConsensusMessage, to target: NodeID, _ effects: inout [ConsensusEffect]) {
        precondition(writes.isEmpty, "a message would overtake the save that it stands for")
        effects.append(.send(message, to: target, isAfterSave: true))
    }

    /// Sends something that claims nothing but the term: at once, when that is durable.
    mutating func sendInTerm(_ message: ConsensusMessage, to target: NodeID, _ effects: inout [ConsensusEffect]) {
        flush(&effects)
        effects.append(.send(message, to: target, isAfterSave: ballotMark > savedMark))
    }

    mutating func saveBallot() {
        var kept = ballot
        if settings.mutant == .voteNotPersisted { kept.vote = nil }
        writes.append(ConsensusRows.write(kept))
        ballotMark = lastMark + 1
    }

    /// Begins a term in which this node has not voted.
    mutating func enter(term: UInt64) {
        precondition(term > ballot.term, "term \(term) does not follow \(ballot.term)")
        ballot.term = term
        ballot.vote = nil
        saveBallot()
    }

    /// Adds an entry that nobody had in this place.
    mutating func store(_ entry: LogEntry) {
        log.append(entry)
        writes.append(ConsensusRows.write(entry))
        note(saving: entry.index)
        if entry.kind == .voters, case .success(let set) = VoterSet.decode(entry.payload) {
            configurations.append((entry.index, set))
        }
    }

    private mutating func note(saving index: UInt64) {
        if let last = saving.last, last.mark == lastMark + 1 {
            saving[saving.count - 1].index = index
        } else {
            saving.append((lastMark + 1, index))
        }
    }

    /// Takes away the entries from `index` on; another leader's come in their place.
    mutating func cut(from index: UInt64) {
        precondition(index > committed, "committed entry \(index) would be cut")
        counters.truncated += log.lastIndex - index + 1
        if settings.mutant != .truncateNotSaved {
            for gone in index...log.lastIndex { writes.append(ConsensusRows.delete(entry: gone)) }
        }
        log.truncate(from: index)
        configurations.removeAll { $0.index >= index }
        limitDurable(to: index - 1)
    }

    /// What was saved of entries above `index` says nothing of those that follow in their place.
    mutating func limitDurable(to index: UInt64) {
        durable = min(durable, index)
        for place in saving.indices { saving[place].index = min(saving[place].index, index) }
    }

    /// Commits up to `index` and hands out what was committed.
    mutating func commit(to index: UInt64, _ effects: inout [ConsensusEffect]) {
        guard index > committed else { return }
        flush(&effects)
        for place in (committed + 1)...index {
            guard let entry = log.entry(at: place) else {
                preconditionFailure("entry \(place) is committed and missing")
            }
            effects.append(.apply(entry))
        }
        counters.committed += index - committed
        committed = index
        mend(with: log.term(at: index) ?? 0)
    }

    /// A damaged log is whole again with a committed entry of a later term: all that this node had acknowledged and
    /// that was committed lies before it.
    mutating func mend(with term: UInt64) {
        guard ballot.damagedTerm != 0, ballot.damagedTerm != Ballot.lost, term > ballot.damagedTerm else { return }
        ballot.damagedTerm = 0
        saveBallot()
    }

    /// Reads the sets of voters above `index` from the log.
    mutating func findConfigurations(above index: UInt64) {
        var place = max(index, log.baseIndex)
        while let entry = log.entry(at: place + 1) {
            place += 1
            if entry.kind == .voters, case .success(let set) = VoterSet.decode(entry.payload) {
                configurations.append((place, set))
            }
        }
    }

    /// The set that holds at `index`.
    func configuration(at index: UInt64) -> VoterSet {
        (configurations.last { $0.index <= index } ?? configurations[0]).set
    }
}
