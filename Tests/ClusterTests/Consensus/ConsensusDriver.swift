import Wire

@testable import Cluster

/// One node that is spoken to message by message.
struct ConsensusDriver {
    static let names = (1...5).map { NodeID(high: 1, low: UInt64($0)) }

    var consensus: Consensus
    let voters: Int
    var now: Int64 = 1_000
    /// What came out and was not yet looked at.
    var effects: [ConsensusEffect] = []
    var rows: [ConsensusNode.Row: [UInt8]] = [:]
    private var unsaved: [(mark: UInt64, writes: [StoreWrite])] = []

    init(
        _ me: Int = 1, voters: Int = 3, settings: ConsensusSettings = ConsensusSettings(),
        stored: StoredLog = StoredLog()
    ) {
        self.voters = voters
        consensus = Consensus(
            settings: settings, me: Self.names[me - 1], voters: VoterSet(voters: Array(Self.names.prefix(voters))),
            stored: stored, random: 7, now: 1_000)
        consensus.start(into: &effects)
    }

    /// The same node after a restart on what was saved.
    func restarted() -> ConsensusDriver {
        var stored = StoredLog()
        for (row, value) in rows { _ = stored.restore(kind: row.kind, key: row.key, value: value) }
        let me = Self.names.firstIndex(of: consensus.me)! + 1
        var next = ConsensusDriver(me, voters: voters, settings: consensus.settings, stored: stored)
        next.rows = rows
        return next
    }

    mutating func hear(_ message: ConsensusMessage, from: Int) {
        consensus.handle(message, from: Self.names[from - 1], now: now, into: &effects)
    }

    mutating func tick(after milliseconds: Int64) {
        now += milliseconds
        consensus.tick(now: now, into: &effects)
    }

    mutating func waitOut() { tick(after: max(0, consensus.nextDeadline - now)) }

    /// Makes everything durable that is to be.
    mutating func save() {
        for case .save(let writes, let mark) in effects { unsaved.append((mark, writes)) }
        effects.removeAll { if case .save = $0 { true } else { false } }
        guard let last = unsaved.last else { return }
        for batch in unsaved {
            for write in batch.writes { rows[.init(kind: write.kind, key: write.key)] = write.value }
        }
        unsaved = []
        consensus.saved(mark: last.mark, now: now, into: &effects)
        save()
    }

    /// What was sent since the last look, with whether it waits for the disk.
    mutating func sent() -> [(message: ConsensusMessage, to: Int, isAfterSave: Bool)] {
        var found: [(ConsensusMessage, Int, Bool)] = []
        for case .send(let message, let to, let isAfterSave) in effects {
            found.append((message, Self.names.firstIndex(of: to)! + 1, isAfterSave))
        }
        effects.removeAll { if case .send = $0 { true } else { false } }
        return found
    }

    mutating func applied() -> [LogEntry] {
        let found = effects.compactMap { if case .apply(let entry) = $0 { entry } else { nil } }
        effects.removeAll { if case .apply = $0 { true } else { false } }
        return found
    }

    /// Makes it the leader of the next term.
    mutating func win() {
        tick(after: 1_200)
        hear(.vote(term: consensus.term + 1, isGranted: true, isTrial: true), from: 2)
        save()
        hear(.vote(term: consensus.term, isGranted: true, isTrial: false), from: 2)
        precondition(consensus.role == .leader)
    }

    /// Says that a member has everything.
    mutating func agree(_ member: Int) {
        hear(
            .appended(
                term: consensus.term, matched: consensus.lastIndex, isRejected: false, hint: 0, round: UInt64(now)),
            from: member)
    }

    mutating func append(
        term: UInt64, after index: UInt64 = 0, _ previousTerm: UInt64 = 0, entries: [LogEntry] = [],
        committed: UInt64 = 0, from: Int = 2
    ) {
        hear(
            .append(
                term: term, previousIndex: index, previousTerm: previousTerm, entries: entries, committed: committed,
                round: 9), from: from)
    }
}

extension LogEntry {
    static func test(_ term: UInt64, _ index: UInt64, _ byte: UInt8 = 0) -> LogEntry {
        LogEntry(term: term, index: index, kind: .command, payload: [byte])
    }
}
