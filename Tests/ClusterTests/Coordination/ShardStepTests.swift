import Testing
import Wire

@testable import Cluster

/// Single steps of a shard.
@Suite struct ShardStepTests {
    private let ids = (0...5).map { NodeID(high: UInt64($0), low: 0) }

    private func judge(replicas: Int = 3) -> ShardJudge {
        let able: Situation.Ability = [.alive, .mayAct, .takesShards, .present]
        let situation = Situation(
            now: 100_000, state: ClusterState(), present: [],
            abilities: Dictionary(uniqueKeysWithValues: ids.dropFirst().map { ($0, able) }), isPastWait: true)
        return ShardJudge(
            situation: situation, settings: CoordinatorSettings(), replicas: replicas, owned: [:])
    }

    private func nodes(_ numbers: Int...) -> [NodeID] { numbers.map { ids[$0] } }

    private func facts(_ epoch: UInt64, _ synced: [NodeID], isReleased: Bool = false) -> ShardFacts.Row {
        ShardFacts.Row(epoch: epoch, isActive: true, isReleased: isReleased, synced: synced)
    }

    /// Where the plan names none of the replicas, an owner that let go was followed by the other one, which was to let
    /// go in its turn, for ever.
    @Test func aShardGetsToReplicasOfWhichNoneHasACopy() {
        var judge = judge()
        let goal = nodes(1, 3, 5)
        var entry = ShardEntry(epoch: 9, replicas: nodes(4, 2), learners: nodes(1, 3, 5))
        #expect(
            judge.step(7, entry, facts(9, nodes(1, 2, 3, 5)), goal: goal)
                == .place(
                    ShardEntry(epoch: 10, replicas: nodes(4, 1, 3), learners: nodes(5), former: nodes(4, 2)),
                    isMove: false))
        entry = ShardEntry(epoch: 10, replicas: nodes(4, 1, 3), learners: nodes(5))
        let synced = nodes(1, 3, 5)
        #expect(judge.step(7, entry, facts(10, synced), goal: goal) == .handOver)
        #expect(
            judge.step(7, entry, facts(10, synced, isReleased: true), goal: goal)
                == .place(ShardEntry(epoch: 11, replicas: goal, former: nodes(4, 1, 3)), isMove: false))
    }

    @Test func anOwnerThatStaysIsSwappedInWithTheOthers() {
        var judge = judge()
        let entry = ShardEntry(epoch: 4, replicas: nodes(1, 2, 3), learners: nodes(4))
        #expect(
            judge.step(7, entry, facts(4, nodes(2, 3, 4)), goal: nodes(1, 2, 4))
                == .place(ShardEntry(epoch: 5, replicas: nodes(1, 2, 4), former: nodes(1, 2, 3)), isMove: false))
        #expect(judge.step(7, entry, facts(4, nodes(2, 3)), goal: nodes(1, 2, 4)) == .wait)
    }
}
