import Codes
import Wire

/// What a node finds of its log when it starts: rows in any order, then `Consensus.init`.
///
/// Rows that cannot be read, or that leave a gap, make the log *damaged*: what is behind the damage is dropped, and the
/// node gives no vote until it has from a leader of a later term all that it may have acknowledged.
public struct StoredLog: Hashable, Sendable {
    private var ballot: Ballot?
    private var entries: [UInt64: LogEntry] = [:]
    private var snapshot: ConsensusSnapshot?
    private var unreadableEntries: Set<UInt64> = []
    private var ballotIsUnreadable = false
    private var isUnreadableOtherwise = false

    /// Nothing is stored.
    public init() {}

    /// Takes a row of kind `consensus`, `logEntry` or `logSnapshot`; false when it is another or cannot be read.
    public mutating func restore(kind: StoredKind, key: [UInt8], value: [UInt8]) -> Bool {
        switch kind {
        case .consensus:
            ballot = ConsensusRows.readBallot(key: key, value: value)
            ballotIsUnreadable = ballot == nil
            return ballot != nil
        case .logEntry:
            if let entry = ConsensusRows.readEntry(key: key, value: value) {
                entries[entry.index] = entry
                return true
            }
            if let index = ConsensusRows.index(ofKey: key) {
                unreadableEntries.insert(index)
            } else {
                isUnreadableOtherwise = true
            }
            return false
        case .logSnapshot:
            snapshot = ConsensusRows.readSnapshot(key: key, value: value)
            isUnreadableOtherwise = isUnreadableOtherwise || snapshot == nil
            return snapshot != nil
        default:
            return false
        }
    }

    /// What is left when everything has been restored.
    struct Found {
        var ballot: Ballot
        var snapshot: ConsensusSnapshot?
        var log: ConsensusLog
        /// Rows that must go because they are behind the damage.
        var dropped: [StoreWrite]
        var fault: Fault?
    }

    /// The longest log without a gap.
    func found() -> Found {
        var log = ConsensusLog(baseIndex: snapshot?.index ?? 0, baseTerm: snapshot?.term ?? 0)
        while let entry = entries[log.lastIndex + 1], entry.term >= log.lastTerm, Self.isReadable(entry) {
            log.append(entry)
        }
        let last = log.lastIndex
        let isLeftOver = { (index: UInt64) in index <= log.baseIndex || index > last }
        let dropped = (Array(entries.keys) + Array(unreadableEntries)).filter(isLeftOver).sorted()
        var found = Found(
            ballot: ballot ?? Ballot(), snapshot: snapshot, log: log, dropped: dropped.map(ConsensusRows.delete),
            fault: nil)
        if ballotIsUnreadable || (ballot == nil && (last > 0 || !dropped.isEmpty)) {
            found.ballot = Ballot(term: log.lastTerm, vote: nil, damagedTerm: Ballot.lost)
            found.fault = Fault(.rowUnreadable, "the vote of this node is unreadable: it votes no more; replace it")
        } else if isUnreadableOtherwise || dropped.contains(where: { $0 > last }) || found.ballot.term < log.lastTerm {
            repair(&found)
            found.fault = Fault(
                .rowUnreadable, "the coordinator's log is damaged behind entry \(last): no votes until it is whole")
        }
        return found
    }

    /// A term of its own makes the leader, who counts on what is lost, begin again.
    private func repair(_ found: inout Found) {
        let term = max(found.ballot.term, found.log.lastTerm)
        guard found.ballot.damagedTerm != Ballot.lost, term < Consensus.termMax else { return }
        found.ballot = Ballot(term: term + 1, vote: nil, damagedTerm: max(term, found.ballot.damagedTerm))
    }

    private static func isReadable(_ entry: LogEntry) -> Bool {
        guard entry.kind == .voters else { return true }
        if case .success = VoterSet.decode(entry.payload) { return true }
        return false
    }
}
