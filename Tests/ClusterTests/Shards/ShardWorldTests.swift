import Cluster
import Glibc
import Testing

/// The promises of replication in a seeded world. `CARILLON_SEED=n swift test --filter ShardWorldTests` replays one
/// seed, `CARILLON_SEEDS=n` runs more of them.
@Suite struct ShardWorldTests {
    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: [UInt64] {
        if let one = environment("CARILLON_SEED") { return [one] }
        return Array(1...(environment("CARILLON_SEEDS") ?? 25))
    }

    @Test func committedChangesAreFoundAndCopiesAgree() {
        var commits = 0
        var activations = 0
        var crashes = 0
        for seed in Self.seeds {
            var world = ShardWorld(seed: seed)
            world.tracing = getenv("CARILLON_TRACE") != nil
            let problem = world.live(chaos: 30_000)
            if world.tracing { for line in world.trace { print(line) } }
            commits += world.commits
            activations += world.activations
            crashes += world.crashes
            if let problem {
                Issue.record("\(problem)\nCARILLON_SEED=\(seed) swift test --filter ShardWorldTests")
                return
            }
        }
        print("\(Self.seeds.count) seeds: \(commits) committed, \(activations) activations, \(crashes) crashes")
        #expect(commits > 0 && activations > 0)
    }

    /// Each fault with a seed that finds it; `CARILLON_MUTANT_SEEDS=n` looks through the first n instead.
    @Test(arguments: [
        (Mutant.copiesOnOwnerOnly, 2 as UInt64), (.noQuorumRead, 5), (.noEpochFence, 64), (.promiseNotPersisted, 270),
        (.lowestWatermarkWins, 2), (.epochNotOpened, 6), (.copiedBeforeStored, 2), (.gapAccepted, 7),
        (.divergentTailKept, 10), (.tombstonesDroppedEarly, 2), (.formerNotRead, 20), (.countReusedAfterRestart, 6),
    ])
    func faultsAreFound(_ mutant: Mutant, seed known: UInt64) {
        let seeds = Self.environment("CARILLON_MUTANT_SEEDS").map { 1...$0 } ?? known...known
        for seed in seeds {
            var world = ShardWorld(seed: seed, mutant: mutant)
            guard world.live(chaos: 30_000) == nil else { return }
        }
        Issue.record("\(mutant) survives seeds \(seeds)")
    }
}
