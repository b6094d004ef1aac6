import Cluster
import Testing

@testable import SimulatedCluster

/// The list of hunts. `carillon simulate --mutants` follows it as a whole.
@Suite struct MutantHuntTests {
    @Test func everyMutantIsHuntedOnce() {
        #expect(MutantHunt.all.map(\.mutant) == Mutant.allCases)
        #expect(Mutant.allCases.count >= 20)
    }

    /// That a request is never answered says that something is wrong, not what.
    @Test func everyHuntNamesPromisesThatFit() {
        for hunt in MutantHunt.all where hunt.equivalent == nil {
            #expect(!hunt.fitting.isEmpty && !hunt.fitting.contains(.liveness), "\(hunt.mutant)")
        }
    }

    @Test func theHintComesFirstAndOnce() {
        let hunt = MutantHunt(.gapAccepted, .gaps, [.replicasAgree], hint: 3)
        #expect(hunt.seeds(of: 1...4) == [3, 1, 2, 4])
        #expect(hunt.repetition(seed: 2) == "carillon simulate --mutant gapAccepted --plan gaps --nodes 3 --seeds 2..2")
    }

    /// Those that show in the first seconds of a world, so that the hunt itself is tested.
    @Test(arguments: [
        Mutant.ackBeforeSave, .majorityTooSmall, .epochNotOpened, .copiedBeforeStored, .ackBeforeCommit, .gapAccepted,
        .leaseNotBoundToGeneration, .noLeaseWaitAfterElection,
    ])
    func earlyOnesAreFound(mutant: Mutant) throws {
        let hunt = try #require(MutantHunt.all.first { $0.mutant == mutant })
        for seed in hunt.seeds(of: 1...10) {
            guard let found = Simulation.run(seed: seed, options: hunt.options).violations.first else { continue }
            if hunt.fitting.contains(found.invariant) { return }
        }
        Issue.record("\(mutant) survives")
    }
}
