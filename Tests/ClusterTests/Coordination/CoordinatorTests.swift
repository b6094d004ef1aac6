import Delivery
import Testing
import Wire

@testable import Cluster

/// The duties of the coordinator, one after another, in a world without faults but those of the test.
@Suite struct CoordinatorTests {
    private let one = CoordinatorWorld.id(1)
    private let two = CoordinatorWorld.id(2)
    private let three = CoordinatorWorld.id(3)
    private let four = CoordinatorWorld.id(4)

    private func settled(nodes: Int = 3, voters: Int = 3, moves: Int = 1024) -> CoordinatorWorld {
        var world = CoordinatorWorld(nodes: nodes, voters: voters, moves: moves)
        let isSettled = world.run(upTo: 20_000) { $0.unsettled == nil }
        #expect(isSettled, "\(world.unsettled ?? "") \(world.problems)")
        return world
    }

    private func expectSettled(_ world: inout CoordinatorWorld, within milliseconds: Int64) {
        let isSettled = world.run(upTo: milliseconds) { $0.unsettled == nil }
        #expect(isSettled, "\(world.unsettled ?? "")")
        #expect(world.problems == [])
    }

    @Test(arguments: [1, 2, 3, 5])
    func aClusterIsPlacedWhenItsVotersAreHere(count: Int) {
        let world = settled(nodes: count, voters: min(3, count))
        #expect(world.problems == [])
        #expect(world.state.placement[0].epoch == 1)
        #expect(world.state.placement[0].replicas.count == min(3, count))
        #expect(world.copiesBegun == 0)
    }

    @Test func nothingIsPlacedWhileAVoterIsMissing() {
        var world = CoordinatorWorld(nodes: 2, voters: 3)
        world.run(milliseconds: 10_000)
        #expect(world.state.present.count == 2)
        #expect(world.state.placement.version == 0)
        world.join(3)
        expectSettled(&world, within: 5000)
    }

    @Test func aJoinMovesTheNewcomersShareStepByStep() {
        var world = settled(nodes: 3, moves: 256)
        world.join(4)
        var most = 0
        let isSettled = world.run(upTo: 120_000) { now in
            most = max(most, now.state.placement.entries.dropLast().count { !$0.learners.isEmpty })
            return now.unsettled == nil
        }
        #expect(isSettled, "\(world.unsettled ?? "")")
        #expect(world.problems == [])
        #expect(world.copiesBegun <= 4096 * 3 / 4 + 4)
        #expect(most <= world.settings.movesMax + 1)
        #expect(world.voters.learners == [four])
    }

    @Test(arguments: [1, 2])
    func copiesGrowWithTheMembers(count: Int) {
        var world = settled(nodes: count, voters: 1)
        world.join(UInt64(count + 1))
        expectSettled(&world, within: 240_000)
        #expect(world.state.placement[9].replicas.count == count + 1)
    }

    @Test func aLostOwnerIsReplacedWhenItsLeaseIsOver() {
        var world = settled()
        let owned = world.state.placement.owned(by: two)
        world.elect(one)
        world.run(milliseconds: 5000)
        world.kill(two)
        let killed = world.time
        let isTaken = world.run(upTo: 10_000) { now in owned.allSatisfy { now.state.placement[$0].owner != two } }
        #expect(isTaken)
        #expect(world.problems == [])
        #expect(world.time - killed < 3500)
        #expect(world.copiesBegun == 0)
        #expect(Set(world.state.placement[owned[0]].replicas).contains(two), "it may come back")
    }

    @Test func aRestartedOwnerKeepsItsShardsInANewEpoch() {
        var world = settled()
        let epochs = world.state.placement.entries.map(\.epoch)
        world.kill(two)
        world.run(milliseconds: 300)
        world.start(two)
        expectSettled(&world, within: 3000)
        for (index, entry) in world.state.placement.entries.enumerated() {
            #expect(entry.epoch == epochs[index] + (entry.owner == two ? 1 : 0))
        }
    }

    @Test func anOwnerThatComesBackLateOwnsAgainWithoutMovingData() {
        var world = settled()
        world.kill(two)
        world.run(milliseconds: 6000)
        world.start(two)
        world.run(milliseconds: 5000)
        #expect(world.state.placement.owned(by: two).isEmpty, "it has just come back")
        expectSettled(&world, within: 20_000)
        #expect(world.copiesBegun == 0)
    }

    @Test func dataMovesOnlyWhenTheMemberStaysDead() {
        var world = settled(nodes: 5)
        world.kill(CoordinatorWorld.id(5))
        world.run(milliseconds: 9000)
        #expect(world.copiesBegun == 0)
        expectSettled(&world, within: 120_000)
        #expect(world.copiesBegun <= 4096 * 3 / 5 + 8)
    }

    @Test func aThirdOfTheMembersDyingAtOnceMovesNoData() {
        var world = settled(nodes: 5)
        world.kill(CoordinatorWorld.id(4))
        world.run(milliseconds: 2000)
        world.kill(CoordinatorWorld.id(5))
        world.run(milliseconds: 60_000)
        #expect(world.copiesBegun == 0)
        #expect(world.leader.flatMap { world.nodes[$0]?.coordinator.isBraked(at: world.moment) } == true)
        world.start(CoordinatorWorld.id(4))
        world.start(CoordinatorWorld.id(5))
        expectSettled(&world, within: 60_000)
    }

    @Test func aNewCoordinatorWaitsForTheLeasesOfTheOldOne() {
        var world = settled()
        world.elect(one)
        world.kill(two)
        world.run(milliseconds: 2000)
        #expect(!world.state.placement.owned(by: two).isEmpty)
        world.run(milliseconds: 1500)
        #expect(world.state.placement.owned(by: two).isEmpty)
        #expect(world.problems == [])
    }

    @Test func aDrainingMemberHandsOverAtOnce() {
        var world = settled()
        world.nodes[two]?.member.isDraining = true
        let start = world.time
        let isDone = world.run(upTo: 20_000) { $0.state.placement.owned(by: CoordinatorWorld.id(2)).isEmpty }
        #expect(isDone)
        #expect(world.time - start < 6000)
        #expect(world.problems == [])
        #expect(world.copiesBegun == 0)
        #expect(world.nodes[two]?.lease.isHeld(at: world.time) == true, "no lease had to end")
    }

    @Test func whoLeavesForGoodIsReplacedAndRemoved() {
        var world = settled(nodes: 4)
        world.nodes[four]?.member.isDraining = true
        world.nodes[four]?.member.weight = 0
        let isGone = world.run(upTo: 120_000) { $0.state.members[CoordinatorWorld.id(4)]?.isRemoved == true }
        #expect(isGone, "\(world.unsettled ?? "")")
        world.run(milliseconds: 2000)
        #expect(world.refusals[four] == .removed)
        #expect(world.voters.learners.isEmpty)
        world.kill(four)
        expectSettled(&world, within: 5000)
    }

    @Test func aNodeWithALostDiskReplacesItsFormerSelf() {
        var world = settled()
        world.kill(two)
        world.join(2, low: 7)
        let new = NodeID(high: 2, low: 7)
        world.run(milliseconds: 2500)
        #expect(world.refusals[new] == .notAdmitted)
        #expect(world.state.members[new] == nil, "the old one may still live")
        expectSettled(&world, within: 240_000)
        #expect(world.state.members[two]?.isRemoved == true)
        #expect(Set(world.voters.voters) == [one, three, new])
    }

    @Test func oneOfTwoLostForGoodIsReplaced() {
        var world = settled(nodes: 2, voters: 1)
        world.kill(two)
        world.join(2, low: 7)
        expectSettled(&world, within: 240_000)
        #expect(world.state.placement[0].replicas.contains(NodeID(high: 2, low: 7)))
    }

    @Test func withoutEnoughCopiesAShardStaysClosedAndComesBack() {
        var world = settled(nodes: 5, voters: 1)
        world.kill(CoordinatorWorld.id(4))
        world.kill(CoordinatorWorld.id(5))
        world.run(milliseconds: 5000)
        let closed = world.nodes[one]?.coordinator.closedShards ?? 0
        #expect(closed > 0)
        #expect(world.notices.contains(.shardsClosed(count: closed)))
        world.start(CoordinatorWorld.id(4))
        world.start(CoordinatorWorld.id(5))
        expectSettled(&world, within: 60_000)
        #expect(world.notices.last == .shardsClosed(count: 0))
    }

    @Test func aClockThatIsOffGetsNoLease() {
        var world = settled()
        world.nodes[three]?.clockOffset = -2500
        world.run(milliseconds: 4000)
        #expect(world.refusals[three] == .clockOff)
        #expect(world.nodes[three]?.lease.isHeld(at: world.time) == false)
        #expect(world.state.placement.owned(by: three).isEmpty)
        #expect(world.notices.filter { $0 == .clockOff(name: "n3", milliseconds: -2500) }.count == 1)
        world.nodes[three]?.clockOffset = 1999
        expectSettled(&world, within: 20_000)
    }

    @Test func lostProposalsAreOnlyLate() {
        var world = CoordinatorWorld(nodes: 3, seed: 5)
        world.proposalLossPercent = 60
        world.lossPercent = 20
        expectSettled(&world, within: 30_000)
    }

    @Test func zonesAreKeptApart() {
        var world = CoordinatorWorld(nodes: 0, voters: 3)
        for number in 1...4 as ClosedRange<UInt64> { world.join(number, zone: number == 4 ? "z1" : "z\(number)") }
        let isPlaced = world.run(upTo: 10_000) { $0.state.placement.version > 0 }
        #expect(isPlaced)
        for entry in world.state.placement.entries where entry.replicas.contains(four) {
            #expect(!entry.replicas.contains(one))
        }
    }
}
