import Testing
import Wire

@testable import Cluster

@Suite struct ElectionTests {
    @Test func aLoneVoterLeadsOnceItsVoteIsDurable() {
        var node = ConsensusDriver(voters: 1)
        node.tick(after: 0)
        #expect(node.consensus.role == .candidate)
        #expect(node.sent().map(\.to) == [])
        node.save()
        #expect(node.consensus.role == .leader && node.consensus.committed == 1)
        #expect(node.consensus.hasQuorum(now: node.now) && node.consensus.isEstablished)
    }

    @Test func aTrialChangesNothing() {
        var node = ConsensusDriver()
        node.tick(after: 1_200)
        #expect(node.consensus.role == .candidate && node.consensus.term == 0)
        #expect(node.sent().map(\.isAfterSave) == [false, false])
        #expect(node.effects == [.roleChanged])
        node.hear(.vote(term: 0, isGranted: false, isTrial: true), from: 2)
        node.waitOut()
        #expect(node.consensus.term == 0)
        #expect(node.sent().count == 2)
    }

    @Test func aCandidateSpeaksAndCountsItselfAfterItsVoteIsDurable() {
        var node = ConsensusDriver()
        node.tick(after: 1_200)
        _ = node.sent()
        node.hear(.vote(term: 1, isGranted: true, isTrial: true), from: 3)
        #expect(node.consensus.term == 1)
        #expect(node.sent().map(\.isAfterSave) == [true, true])
        node.hear(.vote(term: 1, isGranted: true, isTrial: false), from: 3)
        #expect(node.consensus.role == .candidate, "its own vote could still be lost")
        node.save()
        #expect(node.consensus.role == .leader)
    }

    @Test func votesOfOthersTermsOrStrangersDoNotCount() {
        var node = ConsensusDriver()
        node.tick(after: 1_200)
        node.hear(.vote(term: 1, isGranted: true, isTrial: true), from: 5)
        node.hear(.vote(term: 9, isGranted: true, isTrial: true), from: 2)
        node.hear(.vote(term: 0, isGranted: true, isTrial: false), from: 2)
        #expect(node.consensus.term == 0 && node.consensus.counters.fromStrangers == 1)
        node.hear(.vote(term: 9, isGranted: false, isTrial: true), from: 2)
        #expect(node.consensus.term == 9 && node.consensus.role == .follower)
    }

    @Test func aVoteIsGivenOnceAndKeptOverARestart() {
        var node = ConsensusDriver()
        node.now += 600
        let request = ConsensusMessage.voteRequest(
            term: 3, lastIndex: 0, lastTerm: 0, isTrial: false, isTransfer: false)
        node.hear(request, from: 2)
        node.save()
        #expect(node.sent().first?.message == .vote(term: 3, isGranted: true, isTrial: false))
        node = node.restarted()
        node.now += 600
        node.hear(request, from: 3)
        #expect(node.sent().first?.message == .vote(term: 3, isGranted: false, isTrial: false))
        node.hear(request, from: 2)
        #expect(node.sent().first?.message == .vote(term: 3, isGranted: true, isTrial: false))
    }

    @Test func nobodyGetsAVoteWhileALeaderIsHeardOrMayHaveBeen() {
        var node = ConsensusDriver()
        let request = { (isTransfer: Bool) in
            ConsensusMessage.voteRequest(term: 8, lastIndex: 9, lastTerm: 7, isTrial: false, isTransfer: isTransfer)
        }
        node.hear(request(false), from: 3)
        let answers = node.sent()
        #expect(node.consensus.term == 0 && answers.isEmpty, "it has just started")
        node.now += 600
        node.append(term: 1)
        node.now += 599
        node.hear(request(false), from: 3)
        #expect(node.consensus.term == 1 && node.consensus.counters.votesIgnored == 2)
        node.hear(request(true), from: 3)
        #expect(node.consensus.term == 8, "the leader itself asked for it")
    }

    @Test func aStaleLogGetsNoVote() {
        var node = ConsensusDriver()
        node.append(term: 2, entries: [.test(1, 1), .test(2, 2)])
        node.save()
        node.now += 600
        _ = node.sent()
        for (index, term, isGranted) in [(9, 1, false), (1, 2, false), (2, 2, true)] as [(UInt64, UInt64, Bool)] {
            node.hear(
                .voteRequest(term: 5, lastIndex: index, lastTerm: term, isTrial: false, isTransfer: false), from: 3)
            node.save()
            #expect(node.sent().last?.message == .vote(term: 5, isGranted: isGranted, isTrial: false))
        }
    }

    @Test func aLeaderWithoutAMajorityResigns() {
        var node = ConsensusDriver()
        node.win()
        node.agree(2)
        #expect(node.consensus.hasQuorum(now: node.now + 539))
        #expect(!node.consensus.hasQuorum(now: node.now + 540))
        node.tick(after: 1_200)
        #expect(node.consensus.role == .leader)
        node.tick(after: 1)
        #expect(node.consensus.role == .follower && node.consensus.counters.quorumsLost == 1)
    }

    @Test func aLateAnswerProlongsNoLease() {
        var node = ConsensusDriver()
        node.win()
        let sentAt = UInt64(node.now)
        node.now += 500
        node.hear(.appended(term: 1, matched: 1, isRejected: false, hint: 0, round: sentAt), from: 2)
        #expect(node.consensus.hasQuorum(now: node.now) && !node.consensus.hasQuorum(now: node.now + 40))
    }

    @Test func aLearnerNeverStands() {
        var node = ConsensusDriver(4)
        node.tick(after: 5_000)
        let requests = node.sent()
        #expect(node.consensus.role == .follower && requests.isEmpty && node.consensus.nextDeadline > node.now)
    }

    @Test func theLeadIsHandedOver() {
        var node = ConsensusDriver()
        node.win()
        node.agree(3)
        _ = node.sent()
        node.consensus.transfer(to: nil, now: node.now, into: &node.effects)
        #expect(node.sent().map(\.message) == [.transfer(term: 1)])
        #expect(!node.consensus.hasQuorum(now: node.now), "the other may win at any moment")
        #expect(node.consensus.propose([1], now: node.now, into: &node.effects) == nil)
        node.tick(after: 1_200)
        #expect(node.consensus.role == .follower, "the request may still arrive")

        var target = ConsensusDriver(3)
        target.append(term: 1, from: 1)
        target.hear(.transfer(term: 1), from: 2)
        #expect(target.consensus.role == .follower, "only the leader may ask")
        target.hear(.transfer(term: 1), from: 1)
        let request = ConsensusMessage.voteRequest(term: 2, lastIndex: 0, lastTerm: 0, isTrial: false, isTransfer: true)
        #expect(target.sent().last?.message == request)
    }

    @Test func aTargetThatDoesNotCatchUpIsGivenUp() {
        var node = ConsensusDriver()
        node.win()
        node.agree(3)
        node.consensus.transfer(to: ConsensusDriver.names[1], now: node.now, into: &node.effects)
        node.now += 1_000
        node.agree(3)
        node.tick(after: 200)
        #expect(node.consensus.role == .leader)
        #expect(node.consensus.propose([1], now: node.now, into: &node.effects) != nil)
    }
}
