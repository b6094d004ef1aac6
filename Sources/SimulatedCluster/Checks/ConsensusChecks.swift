internal import Wire

/// I1, I2 and I3 on the wire, across restarts.
struct ConsensusChecks: Sendable {
    private struct Vote: Hashable, Sendable {
        var voter: NodeID
        var term: UInt64
    }

    private struct Place: Hashable, Sendable {
        var index: UInt64
        var term: UInt64
    }

    private var leaders: [UInt64: NodeID] = [:]
    private var votes: [Vote: NodeID] = [:]
    private var terms: [NodeID: UInt64] = [:]
    private var entries: [Place: UInt64] = [:]

    mutating func sent(_ message: ConsensusMessage, _ header: MeshHeader) -> Checks.Problem? {
        let sender = header.sender
        switch message {
        case .voteRequest(let term, _, _, let isTrial, _):
            guard !isTrial else { return nil }
            return grew(term, sender) ?? voted(sender, term, for: sender)
        case .vote(let term, let isGranted, let isTrial):
            guard !isTrial, isGranted else { return nil }
            return grew(term, sender) ?? voted(sender, term, for: header.target)
        case .append(let term, _, _, let entries, _, _):
            return grew(term, sender) ?? led(sender, term) ?? listed(entries)
        case .appended(let term, _, _, _, _), .snapshotTaken(let term, _, _): return grew(term, sender)
        case .snapshot(let term, _, _, _, _, _, _): return grew(term, sender) ?? led(sender, term)
        case .transfer(let term): return grew(term, sender)
        }
    }

    private mutating func grew(_ term: UInt64, _ node: NodeID) -> Checks.Problem? {
        let before = terms[node] ?? 0
        guard term >= before else { return (.oneVotePerTerm, "its term went back from \(before) to \(term)") }
        if term > before { terms[node] = term }
        return nil
    }

    private mutating func voted(_ voter: NodeID, _ term: UInt64, for candidate: NodeID) -> Checks.Problem? {
        let vote = Vote(voter: voter, term: term)
        guard let before = votes[vote] else {
            votes[vote] = candidate
            return nil
        }
        return before == candidate ? nil : (.oneVotePerTerm, "it voted for two candidates in term \(term)")
    }

    private mutating func led(_ node: NodeID, _ term: UInt64) -> Checks.Problem? {
        guard let before = leaders[term] else {
            leaders[term] = node
            return nil
        }
        return before == node ? nil : (.oneLeaderPerTerm, "term \(term) has two leaders")
    }

    private mutating func listed(_ list: [LogEntry]) -> Checks.Problem? {
        for entry in list {
            var hash = TraceHash()
            hash.mix(UInt64(entry.kind.rawValue))
            hash.mix(entry.payload)
            let place = Place(index: entry.index, term: entry.term)
            if let before = entries.updateValue(hash.value, forKey: place), before != hash.value {
                return (.logMatching, "entry \(entry.index) of term \(entry.term) has two contents")
            }
        }
        return nil
    }
}
