import Testing
import Wire

@testable import Cluster

@Suite struct VoterChangeTests {
    private let names = ConsensusDriver.names

    private func set(_ voters: [Int], _ learners: [Int] = []) -> VoterSet {
        VoterSet(voters: voters.map { names[$0 - 1] }, learners: learners.map { names[$0 - 1] })
    }

    private func change(_ node: inout ConsensusDriver, _ set: VoterSet) -> Bool {
        node.consensus.changeVoters(set, now: node.now, into: &node.effects)
    }

    /// A leader with an entry of its term committed.
    private func leader() -> ConsensusDriver {
        var node = ConsensusDriver()
        node.win()
        node.save()
        node.agree(2)
        return node
    }

    @Test func nothingChangesBeforeAnEntryOfTheTermIsCommitted() {
        var node = ConsensusDriver()
        #expect(!change(&node, set([1, 2])))
        node.win()
        #expect(!change(&node, set([1, 2])))
        node.save()
        node.agree(2)
        #expect(change(&node, set([1, 2])))
    }

    @Test func oneVoterAtATime() {
        var node = leader()
        #expect(!change(&node, set([1])))
        #expect(!change(&node, set([])))
        #expect(!change(&node, set([1, 2, 3])))
        #expect(!change(&node, VoterSet(voters: [names[0], names[0], names[1]])))
        #expect(!change(&node, VoterSet(voters: Array(names.prefix(3)), learners: [names[0]])))
        #expect(change(&node, set([1, 2])))
        #expect(!change(&node, set([1, 2, 3])), "the last change is not committed")
        node.save()
        node.agree(2)
        #expect(node.consensus.votersAreCommitted)
        #expect(change(&node, set([1, 2], [3, 4, 5])), "learners come freely")
    }

    @Test func aVoterIsFirstALearnerThatIsInStep() {
        var node = leader()
        #expect(!change(&node, set([1, 2, 3, 4])))
        #expect(change(&node, set([1, 2, 3], [4])))
        node.save()
        node.agree(2)
        #expect(!node.consensus.isInStep(names[3]) && !change(&node, set([1, 2, 3, 4])))
        node.agree(4)
        #expect(node.consensus.isInStep(names[3]) && change(&node, set([1, 2, 3, 4])))
        node.save()
        node.agree(2)
        #expect(!node.consensus.votersAreCommitted, "three of four are a majority")
        node.agree(4)
        #expect(node.consensus.votersAreCommitted)
    }

    @Test func aLeaderThatIsTakenOutStaysUntilThatIsCommitted() {
        var node = leader()
        #expect(change(&node, set([2, 3], [1])))
        node.save()
        node.agree(2)
        #expect(node.consensus.role == .leader, "its own copy does not count")
        node.agree(3)
        #expect(node.consensus.role == .follower)
        node.waitOut()
        #expect(node.consensus.role == .follower, "it is no voter any more")
    }

    /// Otherwise a lone voter that has not heard of it and this node wait for each other for ever.
    @Test func whoIsLeftOutByAnUncommittedSetStillStands() {
        var node = ConsensusDriver(voters: 2)
        node.win()
        node.save()
        node.agree(2)
        #expect(change(&node, set([2], [1])))
        node.save()
        node = node.restarted()
        node.tick(after: 1_200)
        #expect(node.consensus.role == .candidate)
        let request = ConsensusMessage.voteRequest(term: 2, lastIndex: 2, lastTerm: 1, isTrial: true, isTransfer: false)
        #expect(node.sent().map(\.message) == [request])
        node.hear(.vote(term: 2, isGranted: true, isTrial: true), from: 2)
        node.save()
        #expect(node.consensus.role == .candidate, "its own vote does not count")
        node.hear(.vote(term: 2, isGranted: true, isTrial: false), from: 2)
        #expect(node.consensus.role == .leader)
    }

    @Test func aCutEntryTakesItsVotersWithIt() {
        var node = ConsensusDriver()
        let entry = LogEntry(term: 1, index: 2, kind: .voters, payload: set([1, 2]).encoded())
        node.append(term: 1, entries: [.test(1, 1), entry])
        #expect(node.consensus.voters == set([1, 2]))
        node.append(term: 2, after: 1, 1, entries: [.test(2, 2)], from: 3)
        #expect(node.consensus.voters == set([1, 2, 3]))
    }
}
