internal import Wire

/// I23 from the outside: what leases were granted to whom, counted generously in the world's time.
struct LeaseChecks: Sendable {
    /// The rate of clocks, twice over, in thousandths.
    private static let slackPerMille: Int64 = 25
    /// A leader may grant itself leases for so long after it last heard of a majority, in milliseconds.
    private static let quorumMilliseconds: Int64 = 1_500

    private let nodes: Int
    private var asked: [[UInt64: Int64]]
    private var granted: [Int64]
    /// When each node last heard from each follower.
    private var heard: [[Int64]]
    private var longest: Int64 = 3_000

    init(nodes: Int) {
        self.nodes = nodes
        asked = [[UInt64: Int64]](repeating: [:], count: nodes)
        granted = [Int64](repeating: .min / 2, count: nodes)
        heard = [[Int64]](repeating: [Int64](repeating: .min / 2, count: nodes), count: nodes)
    }

    /// A new run has no lease.
    mutating func started(_ node: Int) {
        asked[node] = [:]
        granted[node] = .min / 2
        heard[node] = [Int64](repeating: .min / 2, count: nodes)
    }

    /// A node sends a request for a lease.
    mutating func asks(_ node: Int, _ request: UInt64, at time: Int64) {
        if asked[node].count > 256 { asked[node] = asked[node].filter { $0.value > time - 20_000 } }
        asked[node][request] = max(asked[node][request] ?? time, time)
    }

    /// Whether the request is one of the run that lives.
    func hasAsked(_ node: Int, _ request: UInt64) -> Bool { asked[node][request] != nil }

    mutating func arrived(_ message: ControlMessage, from: Int, to node: Int, at time: Int64) {
        switch message {
        case .coordination(.lease(let request, _, let milliseconds, _)):
            guard let sent = asked[node][request] else { return }
            longest = max(longest, Int64(milliseconds))
            granted[node] = max(granted[node], sent + stretched(Int64(milliseconds)))
        case .consensus(.appended(_, _, false, _, _)): heard[node][from] = time
        default: break
        }
    }

    private func stretched(_ milliseconds: Int64) -> Int64 {
        milliseconds + milliseconds * Self.slackPerMille / 1000 + 2
    }

    /// By how much a node exceeds every lease that it can have; nil: it does not. `voters`: how many there are as the
    /// node knows it; who leaves for good votes no more.
    func excess(_ node: Int, voters: Int, at time: Int64) -> Int64? {
        guard nodes > 1, voters != 1, time > granted[node] else { return nil }
        // As a leader: itself and enough followers.
        let recent = heard[node].sorted(by: >)
        let quorum = recent[max(0, min(nodes, voters) / 2 - 1)]
        let own = quorum + stretched(Self.quorumMilliseconds + longest)
        return time > own ? time - max(own, granted[node]) : nil
    }
}
