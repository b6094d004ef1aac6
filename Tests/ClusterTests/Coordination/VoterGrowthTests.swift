import Testing
import Wire

@testable import Cluster

/// A cluster of one that others join: who votes from then on. The world complains when two voters change at once.
@Suite struct VoterGrowthTests {
    private let one = CoordinatorWorld.id(1)
    private let two = CoordinatorWorld.id(2)
    private let three = CoordinatorWorld.id(3)
    private let four = CoordinatorWorld.id(4)

    private func clusterOfOne(_ configured: [String] = ["n1", "n2", "n3"]) -> CoordinatorWorld {
        var world = CoordinatorWorld(nodes: 1, voters: 1, configured: configured)
        world.run(milliseconds: 5000)
        #expect(world.voters == VoterSet(voters: [one]))
        return world
    }

    @Test func twoWouldBeWorseThanOneAndThreeAreBetter() {
        var world = clusterOfOne()
        world.join(2)
        world.run(milliseconds: 4000)
        #expect(world.voters == VoterSet(voters: [one], learners: [two]), "two voters survive no loss")
        world.join(3)
        world.run(milliseconds: 6000)
        #expect(Set(world.voters.voters) == [one, two, three] && world.voters.learners == [])
        world.kill(one)
        let goesOn = world.run(upTo: 20_000) { $0.leader != nil && $0.leader != one }
        #expect(goesOn && world.problems == [])
    }

    @Test func whoTheConfigurationDoesNotNameListens() {
        var world = clusterOfOne()
        for number in 2...4 as ClosedRange<UInt64> { world.join(number) }
        world.run(milliseconds: 8000)
        #expect(Set(world.voters.voters) == [one, two, three] && world.voters.learners == [four])
        #expect(world.problems == [])
    }

    @Test func aClusterOfOneThatNamesOnlyItselfKeepsItsOneVoter() {
        var world = clusterOfOne(["n1"])
        world.join(2)
        world.join(3)
        world.run(milliseconds: 8000)
        #expect(world.voters.voters == [one] && world.problems == [])
    }

    @Test func aCoordinatorWithAnOlderConfigurationRemovesNobody() {
        var world = clusterOfOne()
        world.join(2)
        world.join(3)
        world.run(milliseconds: 8000)
        var settings = world.settings
        settings.voters = ["n1"]
        world.nodes[two]?.coordinator = Coordinator(settings: settings, me: two, shardSeed: (3, 4))
        world.elect(two)
        world.run(milliseconds: 8000)
        #expect(Set(world.voters.voters) == [one, two, three] && world.problems == [])
    }

    @Test func aVoterThatIsReplacedKeepsItsSeat() {
        var world = clusterOfOne()
        world.join(2)
        world.join(3)
        world.run(milliseconds: 8000)
        world.kill(three)
        world.run(milliseconds: 6000)
        world.join(3, low: 1)
        let new = NodeID(high: 3, low: 1)
        let isReplaced = world.run(upTo: 20_000) { Set($0.voters.voters) == [one, two, new] }
        #expect(isReplaced && world.problems == [])
    }
}
