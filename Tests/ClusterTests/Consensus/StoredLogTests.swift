import Testing
import Wire

@testable import Cluster

@Suite struct StoredLogTests {
    private let voters = VoterSet(voters: Array(ConsensusDriver.names.prefix(3)), learners: [ConsensusDriver.names[3]])

    /// A node with entries 1...5 of term 2, all committed and durable.
    private func node() -> ConsensusDriver {
        var node = ConsensusDriver()
        node.append(term: 2, entries: (1...5).map { .test(2, $0) }, committed: 5)
        node.save()
        return node
    }

    @Test func theChecksumIsCastagnolis() {
        #expect(Checksum.crc32c(Array("123456789".utf8)) == 0xe306_9283)
        #expect(Checksum.crc32c([]) == 0)
    }

    @Test func rowsComeBackAsTheyWere() {
        let ballots = [Ballot(), Ballot(term: 7, vote: voters.voters[1], damagedTerm: 3)]
        for ballot in ballots {
            let write = ConsensusRows.write(ballot)
            #expect(ConsensusRows.readBallot(key: write.key, value: write.value!) == ballot)
        }
        let entry = LogEntry(term: 3, index: 9, kind: .voters, payload: voters.encoded())
        let row = ConsensusRows.write(entry)
        #expect(ConsensusRows.readEntry(key: row.key, value: row.value!) == entry)
        let snapshot = ConsensusSnapshot(index: 4, term: 2, voters: voters, state: [1, 2, 3])
        let whole = ConsensusRows.write(snapshot)
        #expect(ConsensusRows.readSnapshot(key: whole.key, value: whole.value!) == snapshot)
    }

    @Test func noSpoiltRowIsTaken() {
        let rows = [
            ConsensusRows.write(Ballot(term: 7, vote: voters.voters[1])), ConsensusRows.write(.test(3, 9)),
            ConsensusRows.write(ConsensusSnapshot(index: 4, term: 2, voters: voters, state: [1, 2, 3])),
        ]
        for row in rows {
            let value = row.value!
            #expect(isTaken(row.kind, row.key, value))
            for place in value.indices {
                for bit in 0..<8 {
                    var spoilt = value
                    spoilt[place] ^= 1 << UInt8(bit)
                    #expect(!isTaken(row.kind, row.key, spoilt))
                }
                #expect(!isTaken(row.kind, row.key, Array(value[..<place])))
            }
            #expect(!isTaken(row.kind, row.key + [0], value))
            #expect(!isTaken(.record, row.key, value))
        }
    }

    private func isTaken(_ kind: StoredKind, _ key: [UInt8], _ value: [UInt8]) -> Bool {
        var stored = StoredLog()
        return stored.restore(kind: kind, key: key, value: value)
    }

    @Test func aStartGoesOnWhereTheLogEnds() {
        var node = node()
        node.consensus.compact(upTo: 3, state: [42], into: &node.effects)
        node.save()
        node = node.restarted()
        #expect(node.effects == [.install(state: [42], index: 3)])
        #expect(node.consensus.term == 2 && node.consensus.committed == 3 && node.consensus.lastIndex == 5)
        #expect(node.consensus.fault == nil && node.consensus.logEntries == 2)
    }

    @Test(arguments: [(lost: UInt64(3), last: UInt64(2)), (1, 0)])
    func aGapMakesANodeThatGivesNoVoteUntilItIsWhole(lost: UInt64, last: UInt64) {
        var node = node()
        node.rows[.init(kind: .logEntry, key: ConsensusRows.key(of: lost))] = nil
        node = node.restarted()
        #expect(node.consensus.fault != nil && node.consensus.isDamaged && node.consensus.lastIndex == last)
        node.save()
        node = node.restarted()
        #expect(node.consensus.fault == nil && node.consensus.isDamaged, "it is not forgotten")
        #expect(node.consensus.term == 3, "a leader that counts on what is lost has to begin again")

        node.tick(after: 5_000)
        #expect(node.consensus.role == .follower)
        node.hear(.voteRequest(term: 9, lastIndex: 99, lastTerm: 8, isTrial: false, isTransfer: false), from: 2)
        node.save()
        #expect(node.sent().last?.message == .vote(term: 9, isGranted: false, isTrial: false))

        node.append(
            term: 9, after: last, last == 0 ? 0 : 2, entries: ((last + 1)...5).map { .test(2, $0) }, committed: 5)
        #expect(node.consensus.isDamaged, "what it had acknowledged may lie behind")
        node.append(term: 9, after: 5, 2, entries: [.test(9, 6)], committed: 6)
        #expect(!node.consensus.isDamaged)
        node.save()
        #expect(!node.restarted().consensus.isDamaged)
    }

    @Test func aNodeWithoutItsVoteNeverVotesAgain() {
        var node = node()
        node.rows[.init(kind: .consensus, key: ConsensusRows.key)] = nil
        node = node.restarted()
        #expect(node.consensus.fault != nil)
        node.save()
        node.append(term: 9, after: 5, 2, entries: [.test(9, 6)], committed: 6)
        #expect(node.consensus.isDamaged && node.consensus.committed == 6)
    }

    @Test func aSpoiltSnapshotIsAGap() {
        var node = node()
        node.consensus.compact(upTo: 3, state: [42], into: &node.effects)
        node.save()
        node.rows[.init(kind: .logSnapshot, key: ConsensusRows.key)] = [1, 2, 3]
        node = node.restarted()
        #expect(node.consensus.isDamaged && node.consensus.lastIndex == 0)
        node.save()
        #expect(node.rows.keys.filter { $0.kind == .logEntry }.isEmpty)
    }
}
