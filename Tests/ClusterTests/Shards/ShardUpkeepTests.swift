import Cluster
import Testing
import Wire

/// What keeps tables alike and small, and what an operator may force.
extension ShardSetTests {
    private func wrote(_ sets: inout [ShardSet], _ writes: [ShardWrite], batch: UInt64) -> [ShardEffect] {
        let effects = turn(&sets[0], batch: batch) { $0.write(writes, batch: batch, now: 0, into: &$1) }
        return settle(&sets, [(0, effects)], batch: batch)
    }

    private func ticked(_ sets: inout [ShardSet], _ now: Int64, batch: UInt64) -> [ShardEffect] {
        let effects = turn(&sets[0], batch: batch) { $0.tick(batch: batch, now: now, into: &$1) }
        return settle(&sets, [(0, effects)], batch: batch)
    }

    @Test func aLossIsAcceptedOnlyWhereAShardWaits() {
        var sets = [set(0), set(1), set(2)]
        _ = placed(&sets, entry(1, [0, 1, 2]))
        _ = wrote(&sets, [write(1, [7])], batch: 10)
        // Two of three are gone for good, and nobody answers.
        var last = [sets[2]]
        last[0].acceptLoss(shard)
        _ = turn(&last[0], batch: 20) {
            $0.place(shard, entry(2, [2], former: [0, 1, 2]), batch: 20, now: 0, into: &$1)
        }
        for batch in 21...24 as ClosedRange<UInt64> {
            _ = turn(&last[0], batch: batch) { $0.stored(upTo: batch - 1, now: 0, into: &$1) }
        }
        #expect(last[0].closedCount == 1 && last[0].activeCount == 0)
        last[0].acceptLoss(shard)
        last[0].acceptLoss(.max)
        var effects: [ShardEffect] = []
        for batch in 25...28 as ClosedRange<UInt64> {
            effects += turn(&last[0], batch: batch) { $0.stored(upTo: batch - 1, now: 0, into: &$1) }
        }
        #expect(effects.contains(.activated(shard: shard, epoch: 2)))
        #expect(last[0].rows(of: shard).map(\.value) == [[7]])
    }

    @Test func learnersOfTheRegistryHearOfEveryChange() {
        var sets = [set(0), set(1), set(2)]
        let entry = ShardEntry(epoch: 1, replicas: [Self.ids[0], Self.ids[1]], learners: [Self.ids[2]])
        _ = placed(&sets, entry, of: Shard.registry)
        func changed(_ effects: [ShardEffect]) -> [[[UInt8]?]] {
            effects.compactMap { if case .registryChanged(let rows) = $0 { rows.map(\.value) } else { nil } }
        }
        let row = ShardWrite(shard: Shard.registry, kind: 1, key: [1], value: [7])
        let written = wrote(&sets, [row], batch: 10)
        #expect(changed(written) == [[[7]], [[7]]])
        let deletion = ShardWrite(shard: Shard.registry, kind: 1, key: [1], value: nil)
        let deleted = wrote(&sets, [deletion], batch: 11)
        #expect(changed(deleted) == [[nil], [nil]])
        // The same row of another shard is nobody's business.
        _ = placed(&sets, self.entry(1, [0, 1, 2]), batch: 12)
        let other = wrote(&sets, [write(1, [7])], batch: 13)
        #expect(changed(other).isEmpty)
    }

    @Test func tombstonesGoWhenEverybodyHasPassedThem() {
        var sets = [set(0), set(1), set(2)]
        _ = placed(&sets, entry(1, [0, 1, 2]))
        _ = ticked(&sets, 0, batch: 10)
        _ = wrote(&sets, [write(1, [7]), write(2, [8])], batch: 11)
        _ = wrote(&sets, [write(1, nil)], batch: 12)
        #expect(sets.map(\.tombstoneCount) == [1, 1, 1])
        #expect(sets[0].rows(of: shard).count == 1)
        _ = ticked(&sets, 10_000, batch: 13)
        #expect(sets.map(\.tombstoneCount) == [0, 0, 0])
        #expect(sets.map(\.counters.tombstonesDropped) == [1, 1, 1])
        #expect(sets[1].row(shard, kind: 1, key: [1]) == nil)
        #expect(Set(sets.map { $0.digest(shard) }).count == 1)
    }

    @Test func aSilentReplicaHoldsTombstonesUpForTheirLifeOnly() {
        var settings = ShardSettings()
        settings.tombstoneMilliseconds = 30_000
        var sets = [set(0, settings: settings), set(1), set(2)]
        _ = placed(&sets, entry(1, [0, 1, 2]))
        let silent = sets.removeLast()
        _ = ticked(&sets, 0, batch: 10)
        _ = wrote(&sets, [write(1, [7])], batch: 11)
        _ = wrote(&sets, [write(1, nil)], batch: 12)
        _ = ticked(&sets, 10_000, batch: 13)
        _ = ticked(&sets, 20_000, batch: 14)
        #expect(sets[0].tombstoneCount == 1)
        _ = ticked(&sets, 40_000, batch: 15)
        #expect(sets[0].tombstoneCount == 0)
        // What it missed is forgotten, so it gets the whole shard when it comes back.
        sets.append(silent)
        let next = entry(2, [0, 1, 2])
        _ = placed(&sets, next, batch: 16)
        #expect(sets[0].counters.wholeTransfers == 1)
        #expect(Set(sets.map { $0.digest(shard) }).count == 1)
    }

    @Test func aTableThatDiffersIsSentWhole() throws {
        var sets = [set(0), set(1)]
        _ = placed(&sets, entry(1, [0, 1]))
        _ = ticked(&sets, 0, batch: 10)
        // A fault on the way: the replica writes another key than the owner.
        let effects = turn(&sets[0], batch: 11) { $0.write([write(1, [7])], batch: 11, now: 0, into: &$1) }
        guard case .copies(let stream, var sections) = try #require(messages(effects, to: 1).first) else {
            Issue.record("no copies")
            return
        }
        let row = try #require(sections[0].rows.first)
        sections[0].rows = [ShardRow(kind: row.kind, key: [99], version: row.version, value: row.value)]
        let answer = turn(&sets[1], batch: 11) {
            $0.handle(
                .copies(stream: stream, sections: sections), from: Self.ids[0], generation: 1, batch: 11, now: 0,
                into: &$1)
        }
        _ = settle(&sets, [(1, answer)], batch: 12)
        #expect(sets[0].digest(shard) != sets[1].digest(shard))
        let all = ticked(&sets, 60_000, batch: 13)
        #expect(all.contains(.notice(.digestsDiffer(shard: shard, member: Self.ids[1]))))
        #expect(sets[0].counters.wholeTransfers == 1)
        #expect(sets[0].digest(shard) == sets[1].digest(shard))
        #expect(sets[1].rows(of: shard).map(\.key) == [[1]])
    }

    @Test func aLargeShardTravelsInPieces() {
        var settings = ShardSettings()
        settings.pieceBytes = 256
        var sets = [set(0, settings: settings), set(1)]
        _ = placed(&sets, entry(1, [0]))
        let writes = (0..<100 as Range<UInt8>).map { write($0, [UInt8](repeating: $0, count: 20)) }
        _ = wrote(&sets, writes, batch: 10)
        let before = sets[0].counters.piecesSent
        let next = ShardEntry(epoch: 2, replicas: [Self.ids[0]], learners: [Self.ids[1]])
        let effects = placed(&sets, next, batch: 11)
        #expect(sets[0].counters.piecesSent - before >= 20)
        let isInStep = sets[0].isInStep(shard, Self.ids[1])
        #expect(isInStep)
        #expect(sets[0].digest(shard) == sets[1].digest(shard))
        let rows = effects.compactMap { effect -> Int? in
            if case .send(.rows(let piece), _) = effect { piece.rows.count } else { nil }
        }
        #expect(rows.reduce(0, +) == 100 && (rows.max() ?? 0) <= 5)
        // It goes on in step.
        _ = wrote(&sets, [write(200, [1])], batch: 12)
        #expect(sets[1].rows(of: shard).count == 101)
    }
}
