import Testing

@testable import SimulatedCluster

/// Which seeds have which plan.
@Suite struct PlanTests {
    @Test func aboutHalfOfTheSeedsHaveAPlan() {
        let plans = (1...1000).map { NemesisPlan.drawn(seed: $0, nodes: 5) }
        #expect((400...600).contains(plans.count { $0 != .none }))
        for plan in NemesisPlan.allCases { #expect(plans.contains(plan), "\(plan)") }
        #expect(plans == (1...1000).map { NemesisPlan.drawn(seed: $0, nodes: 5) })
    }

    @Test func plansNeedNodes() {
        #expect((1...200).allSatisfy { NemesisPlan.drawn(seed: $0, nodes: 1) == .none })
        #expect(!(1...200).contains { NemesisPlan.drawn(seed: $0, nodes: 3).nodesMin > 3 })
    }
}
