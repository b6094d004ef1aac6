import Testing
import Wire

@testable import Cluster

/// Figure 8 of the Raft paper: an entry of an earlier term that a majority has is not safe yet.
@Suite struct EarlierTermTests {
    /// Five voters, of which only those named hear each other.
    private struct Five {
        var nodes: [ConsensusDriver]
        /// What was applied at each place, in the order in which it was first seen.
        var applied: [UInt64: LogEntry] = [:]
        var isBroken = false

        init(_ mutant: Mutant?) {
            var settings = ConsensusSettings()
            settings.mutant = mutant
            nodes = (1...5).map { ConsensusDriver($0, voters: 5, settings: settings) }
        }

        mutating func carry(_ group: [Int], until isDone: (Five) -> Bool = { _ in false }) {
            for _ in 0..<60 {
                var wasQuiet = true
                for from in group {
                    nodes[from - 1].save()
                    for entry in nodes[from - 1].applied() {
                        if let known = applied[entry.index], known != entry { isBroken = true }
                        applied[entry.index] = applied[entry.index] ?? entry
                    }
                    for (message, to, _) in nodes[from - 1].sent() where group.contains(to) {
                        wasQuiet = false
                        nodes[to - 1].hear(message, from: from)
                        if isDone(self) { return }
                    }
                }
                if wasQuiet { return }
            }
        }

        /// False when the others do not want it.
        mutating func elect(_ node: Int, by group: [Int]) -> Bool {
            for _ in 0..<5 {
                for place in nodes.indices { nodes[place].now += 5_000 }
                nodes[node - 1].tick(after: 0)
                carry(group) { $0.nodes[node - 1].consensus.role == .leader }
                if nodes[node - 1].consensus.role == .leader { return true }
            }
            return false
        }

        /// Stops and starts again; what it had not sent is lost.
        mutating func restart(_ node: Int) {
            nodes[node - 1].save()
            let now = nodes[node - 1].now
            nodes[node - 1] = nodes[node - 1].restarted()
            nodes[node - 1].now = now
        }

        mutating func propose(_ byte: UInt8, at node: Int) {
            let now = nodes[node - 1].now
            var effects: [ConsensusEffect] = []
            _ = nodes[node - 1].consensus.propose([byte], now: now, into: &effects)
            nodes[node - 1].effects += effects
        }
    }

    /// True when two different entries were applied at one place.
    private func isLost(_ mutant: Mutant?) -> Bool {
        var five = Five(mutant)
        let first = five.elect(1, by: [1, 2, 3, 4, 5])
        #expect(first)
        five.carry([1, 2, 3, 4, 5])
        five.propose(7, at: 1)
        five.carry([1, 2])
        // Another leader, which gets its entry to nobody else.
        five.restart(1)
        let second = five.elect(5, by: [3, 4, 5])
        #expect(second)
        five.propose(8, at: 5)
        five.restart(5)
        // The first one again: its old entry gets to a majority.
        let third = five.elect(1, by: [1, 2, 3])
        #expect(third)
        five.carry([1, 2, 3])
        five.restart(1)
        if five.elect(5, by: [2, 3, 4, 5]) { five.carry([2, 3, 4, 5]) }
        return five.isBroken
    }

    @Test func whatIsCommittedStays() { #expect(!isLost(nil)) }

    @Test func countingCopiesOfAnEarlierTermLosesACommittedEntry() {
        #expect(isLost(.commitEarlierTermWithoutNoOp))
    }
}
