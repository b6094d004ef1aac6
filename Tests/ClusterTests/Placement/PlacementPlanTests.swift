import Testing
import Wire

@testable import Cluster

/// What the plan promises: distinct nodes and zones, even loads, no more moves than needed, the same result everywhere.
@Suite struct PlacementPlanTests {
    private static let seed: (UInt64, UInt64) = (7, 11)
    private static let shards = Int(Shard.count)

    private func members(_ numbers: some Sequence<Int>, zones: Int = 1) -> [PlacementPlan.Candidate] {
        numbers.map { PlacementPlan.Candidate(id: Self.node($0), zone: zones > 1 ? "z\($0 % zones)" : "") }
    }

    private static func node(_ number: Int) -> NodeID {
        NodeID(high: UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number))
    }

    private func plan(
        _ candidates: [PlacementPlan.Candidate], from old: PlacementPlan? = nil, replicas: Int = 3
    ) -> PlacementPlan {
        var current = Placement()
        for (shard, set) in (old?.replicas ?? []).enumerated() {
            _ = current.place(UInt16(shard), ShardEntry(epoch: 1, replicas: set))
        }
        return PlacementPlan(current: current, candidates: candidates, replicas: replicas, seed: Self.seed)
    }

    private func copies(_ plan: PlacementPlan) -> [NodeID: Int] {
        plan.replicas.dropLast().joined().reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private func owners(_ plan: PlacementPlan) -> [NodeID: Int] {
        plan.replicas.dropLast().reduce(into: [:]) { $0[$1[0], default: 0] += 1 }
    }

    private func spread(_ counts: [NodeID: Int], _ nodes: Int) -> Int {
        counts.count < nodes ? (counts.values.max() ?? 0) : (counts.values.max() ?? 0) - (counts.values.min() ?? 0)
    }

    private func moved(_ old: PlacementPlan, _ new: PlacementPlan) -> Int {
        zip(old.replicas, new.replicas).dropLast().reduce(0) { sum, pair in
            sum + pair.1.count { !pair.0.contains($0) }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 7, 12])
    func copiesAndOwnersAreEven(count: Int) {
        let first = plan(members(0..<count))
        #expect(first.replicas.count == Self.shards + 1)
        for set in first.replicas {
            #expect(set.count == min(3, count))
            #expect(Set(set).count == set.count)
        }
        #expect(spread(copies(first), count) <= 1)
        #expect(spread(owners(first), count) <= 1)
    }

    /// With fewer zones than replicas the lost copies are wanted in the zone that lacks them, which is more than its
    /// members' share: what it was to get goes elsewhere then, not what it has.
    @Test func aLossMovesNoOtherCopiesWhenZonesAreAWish() {
        let all = members(0..<5, zones: 2)
        let before = plan(all)
        let after = plan(all.filter { $0.id != Self.node(1) }, from: before)
        let lost = copies(before)[Self.node(1)] ?? 0
        #expect(lost > 0 && moved(before, after) == lost)
        #expect(spread(copies(after), 4) <= 1)
    }

    @Test func theOrderOfMembersDoesNotMatter() {
        let first = plan(members(0..<6))
        #expect(plan(members((0..<6).reversed())) == first)
        #expect(plan(members([3, 1, 5, 0, 2, 4])) == first)
    }

    @Test func aPlanThatHoldsIsKept() {
        let first = plan(members(0..<5))
        #expect(plan(members(0..<5), from: first) == first)
    }

    @Test(arguments: [3, 5, 9])
    func aJoinMovesTheNewcomersShareAndNothingElse(count: Int) {
        let first = plan(members(0..<count))
        let second = plan(members(0...count), from: first)
        let ideal = Self.shards * 3 / (count + 1)
        #expect(moved(first, second) <= ideal + count)
        for (old, new) in zip(first.replicas, second.replicas) {
            #expect(new.allSatisfy { old.contains($0) || $0 == Self.node(count) })
        }
        #expect(spread(copies(second), count + 1) <= 1)
        #expect(spread(owners(second), count + 1) <= 1)
    }

    @Test(arguments: [4, 6, 10])
    func aLossReplacesWhatWasLostAndNothingElse(count: Int) {
        let first = plan(members(0..<count))
        let lost = first.replicas.dropLast().count { $0.contains(Self.node(0)) }
        let second = plan(members(1..<count), from: first)
        #expect(moved(first, second) <= lost + count)
        #expect(spread(copies(second), count - 1) <= 1)
        #expect(spread(owners(second), count - 1) <= 1)
    }

    @Test func ownersMoveWithoutData() {
        var candidates = members(0..<5)
        let first = plan(candidates)
        candidates[2].mayOwn = false
        let second = plan(candidates, from: first)
        #expect(moved(first, second) == 0)
        #expect(owners(second)[Self.node(2)] == nil)
        #expect(spread(owners(second), 4) <= 1)
        let back = plan(members(0..<5), from: second)
        #expect(moved(second, back) == 0)
        #expect(spread(owners(back), 5) <= 1)
    }

    @Test func weightsGiveShares() {
        var candidates = members(0..<5)
        candidates[0].weight = 200
        candidates[4].weight = 0
        let first = plan(candidates)
        let copies = copies(first)
        #expect(copies[Self.node(4)] == nil)
        // 200 of 500, but no more than one copy of every shard.
        #expect(copies[Self.node(0)] == Self.shards)
        let rest = (1..<4).map { copies[Self.node($0)] ?? 0 }
        #expect((rest.max() ?? 0) - (rest.min() ?? 0) <= 1)
        #expect((owners(first)[Self.node(0)] ?? 0) > (owners(first)[Self.node(1)] ?? 0) * 19 / 10)
    }

    @Test(arguments: [(3, 6), (4, 9), (3, 7), (5, 11)])
    func zonesAreARuleWhenThereAreEnough(zones: Int, count: Int) {
        let first = plan(members(0..<count, zones: zones))
        let zone = Dictionary(uniqueKeysWithValues: members(0..<count, zones: zones).map { ($0.id, $0.zone) })
        for set in first.replicas { #expect(Set(set.compactMap { zone[$0] }).count == 3) }
        for name in Set(zone.values) {
            let inZone = copies(first).filter { zone[$0.key] == name }
            #expect((inZone.values.max() ?? 0) - (inZone.values.min() ?? 0) <= 1, "zone \(name)")
        }
        let second = plan(members(0...count, zones: zones), from: first)
        for set in second.replicas { #expect(Set(set.map { Self.zone($0, zones, count + 1) }).count == 3) }
        #expect(moved(first, second) <= Self.shards * 3 / zones + count)
    }

    private static func zone(_ node: NodeID, _ zones: Int, _ count: Int) -> Int {
        ((0..<count).first { Self.node($0) == node } ?? 0) % zones
    }

    @Test func twoZonesAreAWish() {
        let first = plan(members(0..<6, zones: 2))
        let together = first.replicas.count { set in Set(set.map { Self.zone($0, 2, 6) }).count == 1 }
        #expect(together == 0)
        #expect(spread(copies(first), 6) <= 1)
    }

    @Test func copiesUnderWayAreNotBegunAnew() {
        let first = plan(members(0..<4))
        var current = Placement()
        for (shard, set) in first.replicas.enumerated() {
            let learners = shard % 3 == 0 ? [Self.node(4)] : []
            _ = current.place(UInt16(shard), ShardEntry(epoch: 1, replicas: set, learners: learners))
        }
        let second = PlacementPlan(current: current, candidates: members(0..<5), replicas: 3, seed: Self.seed)
        let kept = stride(from: 0, to: Self.shards, by: 3).count { second.replicas[$0].contains(Self.node(4)) }
        #expect(kept == (Self.shards + 2) / 3)
    }

    @Test func theRegistryStays() {
        let first = plan(members(0..<5))
        let second = plan(members(0..<9), from: first)
        #expect(first[Shard.registry].count == 3)
        #expect(second[Shard.registry] == first[Shard.registry])
        let third = plan(members(0..<9).filter { $0.id != first[Shard.registry][0] }, from: second)
        #expect(third[Shard.registry].prefix(2) == first[Shard.registry].dropFirst())
    }

    @Test func nobodyGetsNothing() {
        #expect(plan([]).replicas.allSatisfy { $0.isEmpty })
        #expect(plan(members(0..<3), replicas: 0).replicas.allSatisfy { $0.isEmpty })
        #expect(plan([PlacementPlan.Candidate(id: Self.node(0), weight: 0)])[5].isEmpty)
        #expect(plan(members(0..<3))[5000].isEmpty)
    }

    @Test func randomChangesKeepThePromises() {
        var dice = Dice(seed: 4711)
        var present = Array(0..<5)
        var last = plan(members(present))
        for next in 5..<11 {
            if dice.chance(percent: 50), present.count > 4 {
                present.remove(at: Int(dice.below(Int64(present.count))))
            } else {
                present.append(next)
            }
            let new = plan(members(present), from: last)
            #expect(spread(copies(new), present.count) <= 1)
            #expect(spread(owners(new), present.count) <= 1)
            #expect(new.replicas.allSatisfy { Set($0).count == 3 })
            #expect(moved(last, new) <= Self.shards * 3 / min(present.count, 4) + present.count)
            last = new
        }
    }
}
