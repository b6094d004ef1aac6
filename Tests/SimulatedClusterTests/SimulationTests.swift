import Testing

@testable import SimulatedCluster

/// Whole clusters in virtual time. `carillon simulate` runs many more of them.
@Suite struct SimulationTests {
    private func options(nodes: Int, chaos: Int64 = 15_000) -> SimulationOptions {
        var options = SimulationOptions()
        options.nodes = nodes
        options.chaosMilliseconds = chaos
        return options
    }

    @Test func promisesHoldThroughFaults() {
        for (seed, nodes) in [(1, 3), (2, 5), (3, 1)] as [(UInt64, Int)] {
            let report = Simulation.run(seed: seed, options: options(nodes: nodes))
            #expect(report.violations.isEmpty, "\(report.violations.map { "\($0.text): \($0.repetition)" })")
            #expect(report.acknowledgements > 0)
        }
    }

    /// Whatever a world has in mind, the promises hold.
    @Test(arguments: NemesisPlan.allCases) func promisesHoldThroughPlans(plan: NemesisPlan) {
        var options = options(nodes: plan.nodesMin)
        options.plan = plan
        let report = Simulation.run(seed: 1, options: options)
        #expect(report.violations.isEmpty, "\(report.violations.map { "\($0.text): \($0.repetition)" })")
    }

    @Test func aSeedRepeatsExactly() {
        let first = Simulation.run(seed: 7, options: options(nodes: 3))
        let second = Simulation.run(seed: 7, options: options(nodes: 3))
        #expect(first.traceHash == second.traceHash)
        #expect(first.events == second.events)
        #expect(Simulation.run(seed: 8, options: options(nodes: 3)).traceHash != first.traceHash)
    }
}
