import Wire

@testable import Cluster

/// What must hold at every moment.
extension ConsensusWorld {
    // MARK: One leader in a term, one vote in a term

    mutating func roleChanged(_ node: Int) {
        guard let consensus = nodes[node].consensus, consensus.role == .leader else { return }
        leads(node, consensus.term)
    }

    private mutating func leads(_ node: Int, _ term: UInt64) {
        if let other = leaders[term], other != node { note("nodes \(other) and \(node) both lead term \(term)") }
        guard leaders.updateValue(node, forKey: term) == nil else { return }
        figures.elections += 1
        if dice.chance(percent: faults.aimPercent) {
            let strike = Strike.allCases[Int(dice.below(Int64(Strike.allCases.count)))]
            plan(.aim(node, strike), after: dice.between(0, 40))
        }
    }

    /// Nothing that has been said on the wire is unsaid by a restart.
    mutating func checkSent(_ message: ConsensusMessage, from: Int, to: Int) {
        switch message {
        case .voteRequest(let term, _, _, let isTrial, _):
            if isTrial { return }
            vote(of: from, in: term, for: nodes[from].name)
        case .vote(let term, let isGranted, let isTrial):
            if isTrial { return }
            guard isGranted else { break }
            vote(of: from, in: term, for: nodes[to].name)
            if faults.crashes, !isHealed, dice.chance(percent: faults.aimPercent / 2) {
                plan(.crash(from), on: from, after: dice.between(0, 3))
            }
        case .append(let term, _, _, _, _, _): leads(from, term)
        default: break
        }
        if message.term < termsSent[from] ?? 0 {
            note("node \(from) goes back from term \(termsSent[from] ?? 0) to \(message.term)")
        }
        termsSent[from] = message.term
    }

    private mutating func vote(of node: Int, in term: UInt64, for candidate: NodeID) {
        let former = votes[Link(from: node, to: 0), default: [:]].updateValue(candidate, forKey: term)
        if let former, former != candidate { note("node \(node) votes twice in term \(term)") }
    }

    // MARK: The same logs

    /// Two entries with the same term and index are the same, and so are those before them.
    mutating func checkWrites(_ writes: [StoreWrite], _ node: Int) {
        for write in writes where write.kind == .logEntry && write.value != nil {
            guard let value = write.value, let entry = ConsensusRows.readEntry(key: write.key, value: value) else {
                note("node \(node) writes an entry that cannot be read")
                continue
            }
            check(entry, node)
        }
    }

    mutating func checkLog(_ node: Int) {
        guard let log = nodes[node].consensus?.log, log.lastIndex > log.baseIndex else { return }
        for index in (log.baseIndex + 1)...log.lastIndex { log.entry(at: index).map { check($0, node) } }
    }

    private mutating func check(_ entry: LogEntry, _ node: Int) {
        guard let log = nodes[node].consensus?.log, let previousTerm = log.term(at: entry.index - 1) else { return }
        guard log.entry(at: entry.index) == entry else { return }
        if previousTerm > entry.term { note("the terms of node \(node) fall at \(entry.index)") }
        let place = Place(term: entry.term, index: entry.index)
        if let known = entries[place] {
            if known.entry != entry || known.previousTerm != previousTerm {
                note("node \(node) holds another entry (\(entry.term), \(entry.index)) than somebody had")
            }
        } else {
            entries[place] = (entry, previousTerm)
        }
    }

    // MARK: The same state

    mutating func apply(_ entry: LogEntry, _ node: Int) {
        figures.applied += 1
        if entry.index != nodes[node].appliedIndex + 1 {
            note("node \(node) applies \(entry.index) after \(nodes[node].appliedIndex)")
        }
        if let known = history[entry.index], known != entry {
            note("node \(node) applies another entry at \(entry.index) than somebody did")
        }
        history[entry.index] = entry
        nodes[node].apply(entry)
        checkState(node)
        guard let payload = nodes[node].proposals.removeValue(forKey: entry.index), payload == entry.payload else {
            return
        }
        acknowledged[entry.index] = payload
        figures.acknowledged += 1
        if faults.crashes, !isHealed, dice.chance(percent: 1) { plan(.crash(node), on: node, after: 0) }
    }

    mutating func install(_ state: [UInt8], _ index: UInt64, _ node: Int) {
        figures.installed += 1
        nodes[node].install(state)
        if nodes[node].appliedIndex != index { note("node \(node) installs a state of another index") }
        checkState(node)
        checkLog(node)
    }

    private mutating func checkState(_ node: Int) {
        let index = nodes[node].appliedIndex
        if let known = states[index], known != nodes[node].hash { note("node \(node) has another state at \(index)") }
        states[index] = nodes[node].hash
    }

    // MARK: One lease

    /// Never are two nodes sure to lead at the same time, whatever their clocks say.
    mutating func checkLease(_ node: Int) {
        guard holdsLease(node), let other = nodes.indices.first(where: { $0 != node && holdsLease($0) }) else { return }
        note("nodes \(node) and \(other) are both sure to lead")
    }

    private func holdsLease(_ node: Int) -> Bool {
        nodes[node].consensus?.hasQuorum(now: nodes[node].local(time)) ?? false
    }

    // MARK: At the end

    mutating func checkAgreement() {
        guard problems.isEmpty else { return }
        guard let leader = leaderIndex, let consensus = nodes[leader].consensus else { return note("nobody leads") }
        if !consensus.hasQuorum(now: nodes[leader].local(time)) { note("the leader has no quorum") }
        let members = consensus.voters.voters + consensus.voters.learners
        for node in nodes.indices where members.contains(nodes[node].name) {
            if nodes[node].appliedIndex + 40 < consensus.committed {
                note("node \(node) is at \(nodes[node].appliedIndex) and the leader at \(consensus.committed)")
            }
            if nodes[node].consensus?.isDamaged == true { note("node \(node) is still damaged") }
        }
        for (index, payload) in acknowledged where history[index]?.payload != payload {
            note("the acknowledged entry \(index) is lost")
        }
        if let last = acknowledged.keys.max(), consensus.committed < last { note("entry \(last) is lost") }
    }
}
