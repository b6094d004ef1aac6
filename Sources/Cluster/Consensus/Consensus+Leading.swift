public import Wire

/// Leading: making entries, sending them, counting copies.
extension Consensus {
    struct Appended {
        var term: UInt64
        var matched: UInt64
        var isRejected: Bool
        var hint: UInt64
        var round: UInt64
    }

    // MARK: Coming and going

    mutating func lead(_ now: Int64, _ effects: inout [ConsensusEffect]) {
        counters.electionsWon += 1
        role = .leader
        leader = me
        leaderSince = now
        handOver = nil
        incoming = nil
        votes = []
        peers = [:]
        findPeers()
        termStart = log.lastIndex + 1
        // Entries of earlier terms are committed only through one of this term (5.4.2 of the paper), so make one.
        if settings.mutant != .commitEarlierTermWithoutNoOp { make(.nothing, []) }
        flush(&effects)
        heartbeat(now, &effects)
        replicate(now, &effects)
        advanceCommit(now, &effects)
    }

    private mutating func resign(_ now: Int64) { follow(term: ballot.term, leader: nil, now) }

    mutating func tickLeader(_ now: Int64, _ effects: inout [ConsensusEffect]) {
        let heardAt = max(leaderSince, majorityHeardAt(now) ?? leaderSince)
        if now - heardAt > settings.electionMilliseconds.upperBound {
            counters.quorumsLost += 1
            return resign(now)
        }
        if let handOver, now >= handOver.deadline {
            self.handOver = nil
            // The target may still stand for election whenever the request arrives, so this leader cannot stay.
            if handOver.isAsked { return resign(now) }
        }
        guard now >= heartbeatAt else { return }
        heartbeat(now, &effects)
        replicate(now, &effects)
    }

    /// When the newest heartbeat that a majority has answered was sent; nil: none in this term.
    func majorityHeardAt(_ now: Int64) -> Int64? {
        let times = configuration.voters.compactMap { $0 == me ? now : peers[$0]?.heardAt }
        guard times.count >= majority else { return nil }
        return times.sorted(by: >)[majority - 1]
    }

    // MARK: Making entries

    /// Puts a command into the log. Its index; nil when this node does not lead or is about to go, when the payload
    /// is longer than `LogEntry.bytesMax`, or when too much waits to be committed.
    public mutating func propose(
        _ payload: [UInt8], now: Int64, into effects: inout [ConsensusEffect]
    ) -> UInt64? {
        let waiting = log.lastIndex - committed
        guard role == .leader, handOver == nil, payload.count <= LogEntry.bytesMax,
            waiting < UInt64(settings.logEntriesMax),
            waiting == 0 || log.bytes(above: committed) + payload.count <= settings.logBytesMax
        else {
            counters.proposalsRefused += 1
            return nil
        }
        let before = standing
        let index = make(.command, payload)
        counters.proposed += 1
        flush(&effects)
        replicate(now, &effects)
        finish(before, &effects)
        return index
    }

    @discardableResult
    mutating func make(_ kind: LogEntry.Kind, _ payload: [UInt8]) -> UInt64 {
        let entry = LogEntry(term: ballot.term, index: log.lastIndex + 1, kind: kind, payload: payload)
        store(entry)
        return entry.index
    }

    // MARK: Sending

    /// Begins to follow new members and forgets those that are none.
    mutating func findPeers() {
        others = (configuration.voters + configuration.learners).sorted().filter { $0 != me }
        let former = peers
        peers = [:]
        for member in others { peers[member] = former[member] ?? ConsensusPeer(next: log.lastIndex + 1) }
    }

    mutating func heartbeat(_ now: Int64, _ effects: inout [ConsensusEffect]) {
        heartbeatAt = now + settings.heartbeatMilliseconds
        for member in others {
            beat(member, now, &effects)
            if peers[member]?.mode == .snapshot { resendPiece(to: member, now, &effects) }
        }
    }

    /// An append without entries at the place where the next ones go, so that lost ones are noticed.
    private mutating func beat(_ member: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard var peer = peers[member] else { return }
        if peer.mode != .snapshot, log.term(at: peer.next - 1) == nil {
            return beginSnapshot(to: member, now, &effects)
        }
        // A member that gets a snapshot is only told that there is a leader.
        let previous = peer.mode == .snapshot ? 0 : peer.next - 1
        let known = (previous, previous == 0 ? 0 : log.term(at: previous) ?? 0)
        peer.committedSent = committed
        peers[member] = peer
        effects.append(.send(append(known, [], now), to: member, isAfterSave: false))
    }

    private func append(_ previous: (UInt64, UInt64), _ entries: [LogEntry], _ now: Int64) -> ConsensusMessage {
        .append(
            term: ballot.term, previousIndex: previous.0, previousTerm: previous.1, entries: entries,
            committed: committed, round: UInt64(max(0, now)))
    }

    mutating func replicate(_ now: Int64, _ effects: inout [ConsensusEffect]) {
        for member in others { replicate(to: member, now, &effects) }
    }

    /// Sends what the member lacks, as much as may be under way.
    mutating func replicate(to member: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        while let peer = peers[member], peer.mode != .snapshot, peer.next <= log.lastIndex {
            guard peer.inflight.count < settings.inflightMessagesMax, !(peer.mode == .probing && peer.isProbed) else {
                return
            }
            let previous = peer.next - 1
            guard let previousTerm = log.term(at: previous) else {
                return beginSnapshot(to: member, now, &effects)
            }
            let entries = log.slice(
                from: peer.next, countMax: settings.entriesPerMessage, bytesMax: settings.entryBytesMax)
            noteSent(entries, to: member)
            effects.append(.send(append((previous, previousTerm), entries, now), to: member, isAfterSave: false))
        }
        inform(member, now, &effects)
    }

    private mutating func noteSent(_ entries: [LogEntry], to member: NodeID) {
        guard var peer = peers[member] else { return }
        peer.committedSent = committed
        if peer.mode == .probing {
            peer.isProbed = true
        } else {
            peer.next += UInt64(entries.count)
            peer.inflight.append(peer.next - 1)
        }
        peers[member] = peer
    }

    /// Tells a member that has everything what has been committed since; others hear it with their next entries.
    private mutating func inform(_ member: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard let peer = peers[member], peer.mode == .streaming, peer.inflight.isEmpty else { return }
        if peer.committedSent < committed { beat(member, now, &effects) }
    }

    // MARK: Answers

    mutating func take(_ answer: Appended, _ from: NodeID, _ now: Int64, _ effects: inout [ConsensusEffect]) {
        guard var peer = peers[from] else {
            counters.fromStrangers += 1
            return
        }
        if answer.term > ballot.term { return follow(term: answer.term, leader: nil, now) }
        guard role == .leader, answer.term == ballot.term else { return outdated() }
        guard answer.round <= UInt64(max(0, now)), answer.matched <= log.lastIndex, answer.hint <= Self.indexMax else {
            counters.illegal += 1
            return
        }
        peer.heard(Int64(answer.round))
        if answer.isRejected { peer.rejected(hint: answer.hint) } else { peer.agreed(upTo: answer.matched) }
        peers[from] = peer
        if !answer.isRejected { advanceCommit(now, &effects) }
        guard role == .leader else { return }
        replicate(to: from, now, &effects)
        askTarget(&effects)
    }

    /// Commits what a majority of voters has durably, if an entry of this term is among it.
    mutating func advanceCommit(_ now: Int64, _ effects: inout [ConsensusEffect]) {
        let copies = configuration.voters.map { $0 == me ? durable : peers[$0]?.matched ?? 0 }.sorted(by: >)
        guard !copies.isEmpty else { return }
        let index = copies[majority - 1]
        guard index > committed else { return }
        guard log.term(at: index) == ballot.term || settings.mutant == .commitEarlierTermWithoutNoOp else { return }
        commit(to: index, &effects)
        for member in others { inform(member, now, &effects) }
        // A leader that is no voter any more stays until that is committed, and tells the others.
        if votersAreCommitted, !configuration.voters.contains(me) {
            heartbeat(now, &effects)
            resign(now)
        }
    }

    // MARK: Handing over

    /// Gives the lead to `target`, or to the other voter that has the most of the log. Until it has taken over, or the
    /// longest election time-out is over, nothing can be proposed. A leader whose target was asked and does not come
    /// resigns.
    public mutating func transfer(to target: NodeID?, now: Int64, into effects: inout [ConsensusEffect]) {
        let candidates = configuration.voters.filter { $0 != me && (target == nil || $0 == target) }
        guard role == .leader, handOver == nil,
            let best = candidates.max(by: { (peers[$0]?.matched ?? 0) < (peers[$1]?.matched ?? 0) })
        else { return }
        handOver = HandOver(target: best, deadline: now + settings.electionMilliseconds.upperBound)
        replicate(to: best, now, &effects)
        askTarget(&effects)
    }

    private mutating func askTarget(_ effects: inout [ConsensusEffect]) {
        guard let target = handOver?.target, handOver?.isAsked == false, let peer = peers[target],
            peer.matched == log.lastIndex
        else { return }
        handOver?.isAsked = true
        effects.append(.send(.transfer(term: ballot.term), to: target, isAfterSave: false))
    }
}
