internal import Cluster
internal import Wire

/// I1, I3, I4 and I5 by what is true of all nodes: their logs in memory and on disk.
struct LogChecks: Sendable {
    private struct Place: Hashable, Sendable {
        var index: UInt64
        var term: UInt64
    }

    private struct Committed: Sendable {
        var term: UInt64
        var hash: UInt64
    }

    /// The term of the entry before each entry: two logs that have an entry in common have all before it in common.
    private var termsBefore: [Place: UInt64] = [:]
    private var committed: [UInt64: Committed] = [:]
    /// The newest entry that anybody took for committed, and the term of who did so first.
    private(set) var newest: (index: UInt64, term: UInt64, by: UInt64) = (0, 0, 0)
    /// Index of the newest committed set of voters.
    private(set) var votersIndex: UInt64 = 0
    private var seen: [UInt64]
    private var proposed: Set<Place> = []

    init(nodes: Int) { seen = [UInt64](repeating: 0, count: nodes) }

    mutating func started(_ node: Int, at index: UInt64) { seen[node] = index }

    /// Whether this is the first time that somebody sends the entry.
    mutating func isNew(_ entry: LogEntry) -> Bool {
        proposed.insert(Place(index: entry.index, term: entry.term)).inserted
    }

    // MARK: On disk

    /// Entries were written to a disk: with their neighbours they are part of the one log.
    mutating func stored(_ disk: SimulatedDisk, _ indices: [UInt64]) -> Checks.Problem? {
        for index in indices {
            for second in [index, index + 1] where second > 1 {
                guard let term = disk.logTerm(at: second), let before = disk.logTerm(at: second - 1) else { continue }
                if let problem = follows(second, term, before) { return problem }
            }
        }
        return nil
    }

    private mutating func follows(_ index: UInt64, _ term: UInt64, _ before: UInt64) -> Checks.Problem? {
        guard before <= term else {
            return (.logMatching, "on disk entry \(index) of term \(term) follows one of term \(before)")
        }
        let place = Place(index: index, term: term)
        guard let known = termsBefore[place] else {
            termsBefore[place] = before
            return nil
        }
        guard known != before else { return nil }
        return (
            .logMatching, "on disk entry \(index) of term \(term) follows one of term \(before), elsewhere \(known)"
        )
    }

    // MARK: Committed

    /// A core has ended a turn; whether it is the first that takes something for committed.
    mutating func turned(_ core: borrowing NodeCore, on node: Int) -> (isFirst: Bool, problem: Checks.Problem?) {
        let upTo = core.stateIndex
        guard upTo > seen[node] else { return (false, nil) }
        defer { seen[node] = upTo }
        for index in seen[node] + 1...upTo {
            guard let entry = core.logEntry(at: index) else { continue }
            let hash = Self.hash(entry)
            if let before = committed[index] {
                guard before.term == entry.term, before.hash == hash else {
                    return (
                        false,
                        (
                            .stateMachineSafety,
                            "it applies entry \(index) of term \(entry.term), another one of term \(before.term)"
                        )
                    )
                }
                continue
            }
            committed[index] = Committed(term: entry.term, hash: hash)
            if entry.kind == .voters { votersIndex = max(votersIndex, index) }
        }
        guard upTo > newest.index, let term = core.logTerm(at: upTo) else { return (false, nil) }
        newest = (upTo, term, core.term)
        return (true, nil)
    }

    /// A node leads: it must have everything that was committed in earlier terms.
    func elected(_ core: borrowing NodeCore) -> Checks.Problem? {
        guard core.isLeader, newest.by < core.term, newest.index > core.stateIndex else { return nil }
        let term = core.logTerm(at: newest.index)
        guard term != newest.term else { return nil }
        let found = term.map { "one of term \($0)" } ?? "none"
        return (
            .acceptedSurvives,
            "it leads term \(core.term) without entry \(newest.index) of term \(newest.term): it has \(found)"
        )
    }

    private static func hash(_ entry: LogEntry) -> UInt64 {
        var hash = TraceHash()
        hash.mix(UInt64(entry.kind.rawValue))
        hash.mix(entry.payload)
        return hash.value
    }

    // MARK: Voters

    /// Any two sets of voters that can decide something have a majority in common.
    func overlap(_ nodes: [SimulatedNode]) -> Checks.Problem? {
        var sets: [[NodeID]] = []
        for node in nodes
        where newest.index <= node.core.stateIndex || node.core.logTerm(at: newest.index) == newest.term {
            for (index, voters) in node.core.possibleVoters where index >= votersIndex && !sets.contains(voters) {
                sets.append(voters)
            }
        }
        for (place, one) in sets.enumerated() {
            for other in sets[(place + 1)...] {
                let all = Set(one).union(other).count
                guard one.count / 2 + 1 + other.count / 2 + 1 <= all else { continue }
                return (
                    .oneLeaderPerTerm,
                    "sets of \(one.count) and \(other.count) voters that need not have one in common may both decide"
                )
            }
        }
        return nil
    }
}
