import Testing
import Wire

@testable import SimulatedCluster

@Suite struct LeaseChecksTests {
    private func leader(heardFrom followers: [Int]) -> LeaseChecks {
        var checks = LeaseChecks(nodes: 5)
        for follower in followers {
            checks.arrived(
                .consensus(.appended(term: 1, matched: 1, isRejected: false, hint: 0, round: 1)), from: follower,
                to: 0, at: 10_000)
        }
        return checks
    }

    @Test func aLeaderMayActAsLongAsAMajorityAnswered() {
        #expect(leader(heardFrom: [1, 2]).excess(0, voters: 5, at: 14_000) == nil)
        #expect(leader(heardFrom: [1, 2]).excess(0, voters: 5, at: 15_000) ?? 0 > 0)
        #expect(leader(heardFrom: [1]).excess(0, voters: 5, at: 10_001) ?? 0 > 0)
    }

    @Test func whoHasLeftForGoodIsNotCounted() {
        #expect(leader(heardFrom: [1]).excess(0, voters: 3, at: 14_000) == nil)
        #expect(leader(heardFrom: []).excess(0, voters: 3, at: 14_000) ?? 0 > 0)
        #expect(leader(heardFrom: []).excess(0, voters: 1, at: 14_000) == nil)
    }

    @Test func aLeaseCountsFromItsRequest() {
        var checks = LeaseChecks(nodes: 5)
        checks.asks(0, 7, at: 10_000)
        checks.arrived(
            .coordination(.lease(request: 7, term: 1, milliseconds: 2000, index: 1)), from: 1, to: 0, at: 10_500)
        #expect(checks.excess(0, voters: 5, at: 12_000) == nil)
        #expect(checks.excess(0, voters: 5, at: 12_100) ?? 0 > 0)
        checks.started(0)
        #expect(checks.excess(0, voters: 5, at: 11_000) ?? 0 > 0)
    }
}
