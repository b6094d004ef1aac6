import Testing
import Wire

@testable import Cluster

@Suite struct SnapshotTests {
    private let voters = VoterSet(voters: Array(ConsensusDriver.names.prefix(3)), learners: [ConsensusDriver.names[3]])

    private func piece(_ offset: UInt32, _ bytes: [UInt8], isLast: Bool = false, index: UInt64 = 5) -> ConsensusMessage
    {
        .snapshot(term: 2, index: index, lastTerm: 2, voters: voters, offset: offset, bytes: bytes, isLast: isLast)
    }

    @Test func piecesAreTakenInOrder() {
        var node = ConsensusDriver()
        node.append(term: 2)
        node.save()
        _ = node.sent()
        let steps: [(ConsensusMessage, UInt32)] = [
            (piece(2, [3]), 0), (piece(0, [1, 2]), 2), (piece(0, [1, 2]), 2), (piece(9, [9], isLast: true), 2),
            (piece(2, [3]), 3), (piece(0, [7], index: 6), 1), (piece(3, [4], isLast: true), 0),
            (piece(0, [1, 2, 3]), 3),
        ]
        for (message, taken) in steps {
            node.hear(message, from: 2)
            guard case .snapshotTaken(2, _, let offset) = node.sent().first?.message else {
                Issue.record("no answer to \(message)")
                return
            }
            #expect(offset == taken)
        }
        node.hear(piece(3, [4], isLast: true), from: 2)
        #expect(node.effects.contains(.install(state: [1, 2, 3, 4], index: 5)))
        let answers = node.sent()
        #expect(answers.last?.message == .appended(term: 2, matched: 5, isRejected: false, hint: 0, round: 0))
        #expect(answers.last?.isAfterSave == true)
        #expect(node.consensus.voters == voters && node.consensus.committed == 5 && node.consensus.lastIndex == 5)
        node.save()
        #expect(node.restarted().effects.first == .install(state: [1, 2, 3, 4], index: 5))
    }

    @Test func aSnapshotIsBounded() {
        var settings = ConsensusSettings()
        settings.snapshotBytesMax = 3
        var node = ConsensusDriver(settings: settings)
        node.hear(piece(0, [1, 2]), from: 2)
        node.hear(piece(2, [3, 4], isLast: true), from: 2)
        #expect(node.consensus.counters.snapshotsOverflown == 1 && node.consensus.committed == 0)
    }

    @Test(arguments: [(UInt64(2), UInt64(7)), (1, 5)])
    func aTailStaysOnlyBehindTheEntryOfTheSnapshot(term: UInt64, last: UInt64) {
        var node = ConsensusDriver()
        node.append(term: 2, entries: (1...7).map { .test(term, $0) })
        node.save()
        node.hear(piece(0, [1], isLast: true), from: 2)
        node.save()
        #expect(node.consensus.lastIndex == last)
        node = node.restarted()
        #expect(node.consensus.lastIndex == last && node.consensus.fault == nil)
    }

    @Test func aMemberWhoseNextEntryIsGoneGetsTheState() {
        var settings = ConsensusSettings()
        settings.keptEntriesMax = 0
        settings.snapshotPieceBytes = 2
        var node = ConsensusDriver(settings: settings)
        node.append(term: 1, entries: (1...4).map { .test(1, $0) }, committed: 4)
        node.consensus.compact(upTo: 4, state: [1, 2, 3, 4, 5], into: &node.effects)
        node.win()
        node.save()
        node.agree(2)
        _ = node.sent()
        node.hear(.appended(term: 2, matched: 0, isRejected: true, hint: 0, round: 0), from: 3)
        var bytes: [UInt8] = []
        while case .snapshot(_, 4, 1, _, let offset, let part, _) = node.sent().last?.message {
            #expect(Int(offset) == bytes.count)
            bytes += part
            node.hear(.snapshotTaken(term: 2, index: 4, offset: UInt32(bytes.count)), from: 3)
        }
        #expect(bytes == [1, 2, 3, 4, 5])
        node.hear(.snapshotTaken(term: 2, index: 4, offset: 99), from: 3)
        #expect(node.consensus.counters.illegal == 1)
        node.hear(.appended(term: 2, matched: 4, isRejected: false, hint: 0, round: 0), from: 3)
        guard case .append(_, 4, 1, let entries, _, _) = node.sent().last?.message else {
            Issue.record("the log does not go on")
            return
        }
        #expect(entries.map(\.index) == [5])
    }

    @Test func aMemberThatIsALittleBehindNeedsNoSnapshot() {
        var settings = ConsensusSettings()
        settings.keptEntriesMax = 2
        var node = ConsensusDriver(settings: settings)
        node.append(term: 1, entries: (1...4).map { .test(1, $0) }, committed: 4)
        node.consensus.compact(upTo: 4, state: [], into: &node.effects)
        #expect(node.consensus.log.baseIndex == 2 && node.consensus.logEntries == 0)
        node.win()
        node.save()
        _ = node.sent()
        node.hear(.appended(term: 2, matched: 0, isRejected: true, hint: 2, round: 0), from: 3)
        guard case .append(_, 2, 1, let entries, _, _) = node.sent().last?.message else {
            Issue.record("no entries")
            return
        }
        #expect(entries.map(\.index) == [3, 4, 5])
    }
}
