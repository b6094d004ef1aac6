import Glibc
import Testing
import Wire

@testable import Cluster

/// The promises of consensus in a seeded world. `CARILLON_SEED=n swift test --filter ConsensusWorldTests` replays one
/// seed, `CARILLON_SEEDS=n` runs more of them.
@Suite struct ConsensusWorldTests {
    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: [UInt64] {
        if let one = environment("CARILLON_SEED") { return [one] }
        return Array(1...(environment("CARILLON_SEEDS") ?? 60))
    }

    private static let activeMilliseconds: Int64 = 4_000

    @Test func votersAgreeInASeededWorld() {
        var figures = ConsensusFigures()
        for seed in Self.seeds {
            var world = ConsensusWorld(seed: seed)
            let problems = world.live(active: Self.activeMilliseconds)
            figures += world.figures
            guard problems.isEmpty else {
                Issue.record("\(problems[0])\nCARILLON_SEED=\(seed) swift test --filter ConsensusWorldTests")
                return
            }
        }
        print("\(Self.seeds.count) seeds: \(figures)")
        #expect(figures.acknowledged > 0 && figures.installed > 0 && figures.changes > 0)
    }

    /// Each known fault is found, in a seed that was seen to find it. `commitEarlierTermWithoutNoOp` is not among them:
    /// it needs many more seeds.
    @Test(arguments: [
        (Mutant.voteNotPersisted, UInt64(22)), (.ignoreLogFreshness, 12), (.majorityTooSmall, 1),
        (.staleTailAcknowledged, 21), (.truncateNotSaved, 82), (.ackBeforeSave, 5), (.doubleVote, 3),
        (.snapshotKeepsConflictingTail, 114), (.singleStepRuleDropped, 164),
    ])
    func knownFaultsAreFound(mutant: Mutant, seed: UInt64) {
        var world = ConsensusWorld(seed: seed, mutant: mutant)
        let problems = world.live(active: Self.activeMilliseconds)
        #expect(problems != [])
    }
}
