import Cluster
import Glibc
import Testing

/// The promises of one node in a seeded world. `CARILLON_SEED=n swift test --filter WorldTests` replays one seed,
/// `CARILLON_SEEDS=n` runs more of them.
@Suite struct WorldTests {
    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: [UInt64] {
        if let one = environment("CARILLON_SEED") { return [one] }
        return Array(1...(environment("CARILLON_SEEDS") ?? 150))
    }

    @Test func promisesHoldInASeededWorld() {
        var sends = 0
        var crashes = 0
        var moves = 0
        var acknowledged = 0
        var lead: Int64 = 0
        for seed in Self.seeds {
            var world = World(seed: seed)
            let problems = world.live(active: 10_000)
            sends += world.sends
            crashes += world.crashes
            moves += world.moves
            lead = max(lead, world.leadMax)
            acknowledged += world.producers.reduce(0) { $0 + $1.acknowledgements }
            guard problems.isEmpty else {
                Issue.record("\(problems[0])\nCARILLON_SEED=\(seed) swift test --filter WorldTests")
                return
            }
        }
        print(
            "\(Self.seeds.count) seeds: \(acknowledged) acknowledged, \(sends) sends, "
                + "\(crashes) crashes, \(moves) moves, lead \(lead) s"
        )
        #expect(acknowledged > 0 && sends > 0 && moves > 0)
    }

    /// A fault that is switched on is found. Not `staleStampSent`: lanes refuse such records, and newer ones come.
    @Test(arguments: [
        Mutant.stampFromClockOnly, .noReassertion, .reassertionRings, .ackBeforeCommit,
        .sendBeforeCommit, .endNotFinal, .repeatsForgotten,
    ])
    func worldFinds(mutant: Mutant) {
        for seed in 1...UInt64(80) {
            var world = World(seed: seed, mutant: mutant)
            guard world.live(active: 10_000).isEmpty else { return }
        }
        Issue.record("\(mutant) is not found")
    }

    @Test func nothingIsQuietInACalmWorld() {
        var world = World(seed: 7, faulty: false)
        #expect(world.live(active: 10_000).isEmpty)
        #expect(world.core.owner.counters.restamped == 0)
        // Important events ring: every 21st is important and has an alert.
        #expect(world.devices.allSatisfy { !$0.rings.isEmpty || $0.strict.isEmpty })
    }
}
