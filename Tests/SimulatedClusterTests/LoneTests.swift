import Testing

@testable import SimulatedCluster

/// The world itself, with a core that is known to keep its promises alone.
@Suite struct LoneTests {
    private var options: SimulationOptions {
        var options = SimulationOptions()
        options.nodes = 1
        options.chaosMilliseconds = 20_000
        return options
    }

    @Test func promisesHoldOnOneNode() {
        var sends = 0
        for seed: UInt64 in 1...10 {
            let report = Simulation.run(seed: seed, options: options, of: LoneCore.self)
            #expect(report.violations.isEmpty, "\(report.violations)")
            sends += report.sends
        }
        #expect(sends > 100)
    }

    @Test func aSeedRepeatsExactly() {
        let first = Simulation.run(seed: 7, options: options, of: LoneCore.self)
        let second = Simulation.run(seed: 7, options: options, of: LoneCore.self)
        let other = Simulation.run(seed: 8, options: options, of: LoneCore.self)
        #expect(first.traceHash == second.traceHash)
        #expect(first.traceHash != other.traceHash)
    }
}
