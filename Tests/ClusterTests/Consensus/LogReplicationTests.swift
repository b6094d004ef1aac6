import Testing
import Wire

@testable import Cluster

@Suite struct LogReplicationTests {
    @Test func theLeaderCountsItsOwnCopyOnlyWhenDurable() {
        var node = ConsensusDriver()
        node.win()
        node.save()
        node.agree(2)
        #expect(node.applied().map(\.index) == [1])
        #expect(node.consensus.propose([7], now: node.now, into: &node.effects) == 2)
        node.agree(2)
        #expect(node.applied() == [])
        node.save()
        #expect(node.applied().map(\.payload) == [[7]])
    }

    @Test func entriesOfEarlierTermsAreCommittedOnlyThroughOneOfTheOwn() {
        var node = ConsensusDriver()
        node.append(term: 1, entries: [.test(1, 1)])
        node.save()
        node.win()
        node.save()
        node.hear(.appended(term: 2, matched: 1, isRejected: false, hint: 0, round: 0), from: 2)
        #expect(node.consensus.committed == 0)
        node.agree(2)
        #expect(node.consensus.committed == 2)
    }

    @Test func entriesAreAcknowledgedAfterTheyAreDurableAndHeartbeatsAtOnce() {
        var node = ConsensusDriver()
        node.append(term: 1)
        node.save()
        _ = node.sent()
        node.append(term: 1, entries: [.test(1, 1)])
        let answer = node.sent().first
        #expect(answer?.isAfterSave == true)
        #expect(answer?.message == .appended(term: 1, matched: 1, isRejected: false, hint: 0, round: 9))
        node.append(term: 1, after: 1, 1)
        let second = node.sent().first
        #expect(second?.isAfterSave == false)
        #expect(second?.message == .appended(term: 1, matched: 0, isRejected: false, hint: 0, round: 9))
        node.save()
        node.append(term: 1, after: 1, 1)
        #expect(node.sent().first?.message == .appended(term: 1, matched: 1, isRejected: false, hint: 0, round: 9))
    }

    @Test func aConflictingTailIsCutOnDiskToo() {
        var node = ConsensusDriver()
        node.append(term: 1, entries: [.test(1, 1), .test(1, 2), .test(1, 3)])
        node.save()
        node.append(term: 2, after: 1, 1, entries: [.test(2, 2)], from: 3)
        node.save()
        #expect(node.consensus.lastIndex == 2 && node.consensus.counters.truncated == 2)
        node = node.restarted()
        #expect(node.consensus.lastIndex == 2 && node.consensus.log.lastTerm == 2 && node.consensus.fault == nil)
    }

    @Test func aRefusalNamesThePlaceBeforeTheTermThatDoesNotFit() {
        var node = ConsensusDriver()
        node.append(term: 4, entries: [.test(1, 1), .test(3, 2), .test(3, 3), .test(3, 4)])
        node.save()
        _ = node.sent()
        node.append(term: 5, after: 9, 5, from: 3)
        node.append(term: 5, after: 4, 4, from: 3)
        let refused = { ConsensusMessage.appended(term: 5, matched: 0, isRejected: true, hint: $0, round: 9) }
        let answers = node.sent().map(\.message)
        #expect(answers == [refused(4), refused(1)])
    }

    @Test func lostMessagesAreSentAgain() {
        var node = ConsensusDriver()
        node.win()
        node.save()
        node.agree(2)
        for byte in [UInt8](0..<3) { _ = node.consensus.propose([byte], now: node.now, into: &node.effects) }
        _ = node.sent()
        node.hear(.appended(term: 1, matched: 0, isRejected: true, hint: 1, round: 0), from: 2)
        let again = node.sent().compactMap { sent -> [UInt64]? in
            if case .append(_, 1, _, let entries, _, _) = sent.message { entries.map(\.index) } else { nil }
        }
        #expect(again == [[2, 3, 4]])
    }

    @Test func whatWaitsIsBounded() {
        var settings = ConsensusSettings()
        settings.logEntriesMax = 3
        settings.inflightMessagesMax = 2
        var node = ConsensusDriver(settings: settings)
        node.win()
        node.save()
        node.agree(2)
        let indices = (0..<5).map { _ in node.consensus.propose([0], now: node.now, into: &node.effects) }
        #expect(indices == [2, 3, 4, nil, nil])
        #expect(node.consensus.counters.proposalsRefused == 2)
        let entries = node.sent().filter {
            if case .append(_, _, _, let entries, _, _) = $0.message { !entries.isEmpty && $0.to == 2 } else { false }
        }
        #expect(entries.count <= 1 + settings.inflightMessagesMax)
        let long = [UInt8](repeating: 0, count: LogEntry.bytesMax + 1)
        #expect(node.consensus.propose(long, now: node.now, into: &node.effects) == nil)
    }

    @Test func nothingIllegalIsTaken() {
        var node = ConsensusDriver()
        node.append(term: 3, entries: [.test(2, 1), .test(3, 2)], committed: 2)
        node.save()
        let dump = node.consensus.dump(now: node.now)
        let voters = LogEntry(term: 3, index: 3, kind: .voters, payload: [9, 9])
        let illegal: [ConsensusMessage] = [
            .append(term: .max, previousIndex: 0, previousTerm: 0, entries: [], committed: 0, round: 0),
            .append(term: 3, previousIndex: .max, previousTerm: 3, entries: [.test(3, 0)], committed: 0, round: 0),
            .append(term: 3, previousIndex: 2, previousTerm: 4, entries: [], committed: 0, round: 0),
            .append(term: 3, previousIndex: 2, previousTerm: 3, entries: [.test(3, 4)], committed: 0, round: 0),
            .append(term: 3, previousIndex: 2, previousTerm: 3, entries: [.test(2, 3)], committed: 0, round: 0),
            .append(term: 3, previousIndex: 2, previousTerm: 3, entries: [.test(4, 3)], committed: 0, round: 0),
            .append(term: 3, previousIndex: 2, previousTerm: 3, entries: [voters], committed: 0, round: 0),
            .append(term: 3, previousIndex: 0, previousTerm: 0, entries: [.test(1, 1)], committed: 0, round: 0),
            .append(
                term: 3, previousIndex: 1, previousTerm: 1, entries: [.test(1, 2), .test(1, 3)],
                committed: 0, round: 0),
            .voteRequest(term: 4, lastIndex: .max, lastTerm: 3, isTrial: false, isTransfer: true),
            .voteRequest(term: 4, lastIndex: 1, lastTerm: 5, isTrial: false, isTransfer: true),
            .snapshot(term: 3, index: 0, lastTerm: 1, voters: dump.voters, offset: 0, bytes: [], isLast: true),
            .snapshot(term: 3, index: 9, lastTerm: 4, voters: dump.voters, offset: 0, bytes: [], isLast: true),
            .snapshot(term: 3, index: 9, lastTerm: 3, voters: VoterSet(voters: []), offset: 0, bytes: [], isLast: true),
        ]
        for (count, message) in illegal.enumerated() {
            node.hear(message, from: 2)
            #expect(node.consensus.counters.illegal == UInt64(count + 1), "\(message)")
        }
        node.append(term: 3, from: 3)
        #expect(node.consensus.counters.illegal == UInt64(illegal.count + 1), "a second leader of the term")
        var after = node.consensus.dump(now: node.now)
        after.counters = dump.counters
        #expect(after == dump)
    }

    @Test func aLeaderBelievesNoImpossibleAnswer() {
        var node = ConsensusDriver()
        node.win()
        node.save()
        node.hear(.appended(term: 1, matched: 2, isRejected: false, hint: 0, round: 0), from: 2)
        node.hear(.appended(term: 1, matched: 1, isRejected: false, hint: 0, round: .max), from: 2)
        node.hear(.appended(term: 1, matched: 1, isRejected: false, hint: .max, round: 0), from: 2)
        node.hear(.appended(term: 1, matched: 1, isRejected: false, hint: 0, round: 0), from: 5)
        node.append(term: 1)
        #expect(node.consensus.counters.illegal == 4 && node.consensus.counters.fromStrangers == 1)
        #expect(node.consensus.committed == 0 && node.consensus.role == .leader)
    }

    /// Messages that only the type system checks, against nodes in every role.
    @Test func randomMessagesNeverTrap() {
        var dice = Dice(seed: 11)
        for _ in 0..<60 {
            var node = ConsensusDriver(1 + Int(dice.below(4)))
            for _ in 0..<100 {
                node.hear(dice.message(), from: 1 + Int(dice.below(5)))
                if dice.chance(percent: 20) { node.save() }
                if dice.chance(percent: 20) { node.tick(after: dice.between(0, 900)) }
                if dice.chance(percent: 5), node.consensus.applied > 0 {
                    node.consensus.compact(upTo: node.consensus.applied, state: [1], into: &node.effects)
                }
                if dice.chance(percent: 5) { node = node.restarted() }
            }
            #expect(node.consensus.committed <= node.consensus.lastIndex)
        }
    }
}

extension Dice {
    private mutating func number() -> UInt64 {
        chance(percent: 4) ? [0, .max, 1 << 62, 1 << 63][Int(below(4))] : UInt64(below(6))
    }

    private mutating func entries() -> [LogEntry] {
        let first = number()
        return (0..<UInt64(below(4))).map {
            let kind = LogEntry.Kind.allCases[Int(below(3))]
            let voters = VoterSet(voters: Array(ConsensusDriver.names.prefix(Int(below(4))))).encoded()
            return LogEntry(term: number(), index: first &+ $0, kind: kind, payload: kind == .voters ? voters : [1])
        }
    }

    mutating func message() -> ConsensusMessage {
        let flags = (chance(percent: 50), chance(percent: 50))
        switch below(8) {
        case 0:
            return .voteRequest(
                term: number(), lastIndex: number(), lastTerm: number(), isTrial: flags.0, isTransfer: flags.1)
        case 1: return .vote(term: number(), isGranted: flags.0, isTrial: flags.1)
        case 2, 3:
            return .append(
                term: number(), previousIndex: number(), previousTerm: number(), entries: entries(),
                committed: number(), round: number())
        case 4:
            return .appended(
                term: number(), matched: number(), isRejected: flags.0, hint: number(), round: number())
        case 5:
            return .snapshot(
                term: number(), index: number(), lastTerm: number(),
                voters: VoterSet(voters: Array(ConsensusDriver.names.prefix(Int(below(4))))),
                offset: UInt32(truncatingIfNeeded: number()), bytes: [1, 2], isLast: flags.0)
        case 6: return .snapshotTaken(term: number(), index: number(), offset: UInt32(truncatingIfNeeded: number()))
        default: return .transfer(term: number())
        }
    }
}
