import Testing
import Wire

@testable import Cluster

/// Shards whose copies are gone for ever, and the operator's word that sets them free.
@Suite struct StuckShardTests {
    private let four = CoordinatorWorld.id(4)
    private let five = CoordinatorWorld.id(5)

    /// Five members, of which two die for ever at the same time: every shard that both have is stuck.
    private func halfDead() -> CoordinatorWorld {
        var world = CoordinatorWorld(nodes: 5)
        let isSettled = world.run(upTo: 20_000) { $0.unsettled == nil }
        #expect(isSettled, "\(world.unsettled ?? "")")
        world.kill(four)
        world.kill(five)
        world.run(milliseconds: 8000)
        return world
    }

    private func isOnBoth(_ entry: ShardEntry) -> Bool { [four, five].allSatisfy(entry.replicas.contains) }

    @Test func nothingIsStuckInAClusterThatIsWell() {
        var world = CoordinatorWorld(nodes: 3)
        world.run(milliseconds: 12_000)
        #expect(world.stuck.count == 0)
        #expect(world.acceptLoss(of: nil).count == 0)
        #expect(world.acceptLoss(of: [3, .max]).count == 0)
        let before = world.state
        world.run(milliseconds: 2000)
        #expect(world.state == before)
    }

    @Test func aShardWithTooFewCopiesIsNamedWithThoseThatAreMissing() throws {
        let world = halfDead()
        let stuck = world.stuck
        let expected = world.state.placement.entries.indices.filter { isOnBoth(world.state.placement.entries[$0]) }
        let isAsExpected = stuck.map { Int($0.shard) } == expected
        #expect(!expected.isEmpty && isAsExpected)
        let first = try #require(stuck.first)
        #expect(Set(first.missing) == [four, five] && first.living.count == 1)
        #expect(world.problems == [])
    }

    @Test func onlyTheShardThatWasNamedIsServedAgain() throws {
        var world = halfDead()
        let stuck = world.stuck
        let one = try #require(stuck.first)
        #expect(world.acceptLoss(of: [one.shard]) == [one])
        world.run(milliseconds: 3000)
        let entry = world.state.placement[one.shard]
        #expect(entry.owner == one.living.first, "who has a copy that is left")
        #expect(entry.replicas == one.living && entry.former.isEmpty)
        let areLeft = world.stuck.map(\.shard) == stuck.dropFirst().map(\.shard)
        #expect(areLeft)
        #expect(world.problems == [])
    }

    @Test func everyStuckShardIsServedAgainWhenAllAreAccepted() {
        var world = halfDead()
        #expect(world.acceptLoss(of: nil).count > 0)
        world.run(milliseconds: 5000)
        #expect(world.stuck.count == 0)
        let isNobodyLeftOut = world.state.placement.entries.allSatisfy { $0.owner != four && $0.owner != five }
        #expect(isNobodyLeftOut)
        #expect(world.acceptLoss(of: nil).count == 0, "saying it again changes nothing")
        #expect(world.problems == [])
    }

    @Test func aShardOfWhichNothingIsLeftBeginsEmptyOnMembersThatLive() throws {
        var world = CoordinatorWorld(nodes: 6)
        world.run(milliseconds: 12_000)
        let dead = [four, five, CoordinatorWorld.id(6)]
        for node in dead { world.kill(node) }
        world.run(milliseconds: 8000)
        let item = try #require(world.stuck.first { $0.living.isEmpty })
        #expect(Set(item.missing) == Set(dead))
        #expect(world.acceptLoss(of: [item.shard]) == [item])
        world.run(milliseconds: 3000)
        let entry = world.state.placement[item.shard]
        #expect(entry.owner != nil && !entry.replicas.contains(where: dead.contains))
        #expect(!world.stuck.contains { $0.shard == item.shard } && world.problems == [])
    }

    @Test func theWordCountsForAMinuteOnly() throws {
        var world = halfDead()
        let one = try #require(world.stuck.first)
        world.proposalLossPercent = 100
        #expect(world.acceptLoss(of: [one.shard]).count == 1)
        // Far into the brake, which holds for five minutes: nothing else happens.
        world.run(milliseconds: Coordinator.acceptedMilliseconds + 1000)
        world.proposalLossPercent = 0
        world.run(milliseconds: 2000)
        let isStuck = world.stuck.contains { $0.shard == one.shard }
        #expect(isStuck)
        #expect(world.problems == [])
    }

    @Test func anotherCoordinatorDoesNotKnowTheWord() throws {
        var world = halfDead()
        let one = try #require(world.stuck.first)
        let leader = try #require(world.leader)
        world.proposalLossPercent = 100
        _ = world.acceptLoss(of: [one.shard])
        world.run(milliseconds: 500)
        world.elect(try #require(world.up.first { $0 != leader && world.voters.voters.contains($0) }))
        world.proposalLossPercent = 0
        world.run(milliseconds: 6000)
        let isStuck = world.stuck.contains { $0.shard == one.shard }
        #expect(isStuck)
    }

    @Test func anOwnerThatCannotReadIsToldToBegin() throws {
        var world = CoordinatorWorld(nodes: 3)
        world.run(milliseconds: 12_000)
        world.waiting = [7, 9]
        world.run(milliseconds: 2000)
        let stuck = world.acceptLoss(of: [7, 8])
        #expect(stuck.map(\.shard) == [7] && stuck.first?.missing.isEmpty == true)
        world.run(milliseconds: 500)
        #expect(world.told == [7: world.state.placement[7].epoch])
        #expect(world.stuck.map(\.shard) == [7, 9])
        world.waiting = []
        world.run(milliseconds: world.settings.waitingMilliseconds + 500)
        #expect(world.stuck.count == 0 && world.problems == [])
    }

    @Test func aTakeOverOfAMomentIsNotStuck() {
        var world = CoordinatorWorld(nodes: 3)
        world.run(milliseconds: 12_000)
        world.kill(CoordinatorWorld.id(2))
        world.run(milliseconds: 300)
        world.start(CoordinatorWorld.id(2))
        world.waiting = Set(world.state.placement.owned(by: CoordinatorWorld.id(2)))
        world.run(milliseconds: 2000)
        #expect(world.stuck.count == 0 && world.problems == [])
    }
}
