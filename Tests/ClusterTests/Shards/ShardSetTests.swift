import Cluster
import Testing
import Wire

/// Single rules of replication, with the messages carried by hand.
@Suite struct ShardSetTests {
    static let ids = (1...3).map { NodeID(high: 0, low: UInt64($0)) }
    let shard: UInt16 = 5

    func set(
        _ node: Int, rows: [StoreWrite] = [], generation: UInt64 = 1, settings: ShardSettings = ShardSettings()
    ) -> ShardSet {
        var set = ShardSet(settings: settings, me: Self.ids[node], generation: generation)
        for row in rows {
            guard let value = row.value else { continue }
            let isTaken = set.restore(kind: row.kind, key: row.key, value: value)
            #expect(isTaken)
        }
        set.finishRestore()
        return set
    }

    func entry(_ epoch: UInt64, _ nodes: [Int], former: [Int] = []) -> ShardEntry {
        ShardEntry(epoch: epoch, replicas: nodes.map { Self.ids[$0] }, former: former.map { Self.ids[$0] })
    }

    func write(_ key: UInt8, _ value: [UInt8]?) -> ShardWrite {
        ShardWrite(shard: shard, kind: 1, key: [key], value: value)
    }

    func turn(
        _ set: inout ShardSet, batch: UInt64, _ body: (inout ShardSet, inout [ShardEffect]) -> Void
    ) -> [ShardEffect] {
        var effects: [ShardEffect] = []
        body(&set, &effects)
        set.endTurn(batch: batch, now: 0, into: &effects)
        return effects
    }

    func messages(_ effects: [ShardEffect], to node: Int) -> [ReplicationMessage] {
        effects.compactMap {
            switch $0 {
            case .send(let message, let to), .sendAfterStored(let message, let to):
                to == Self.ids[node] ? message : nil
            default: nil
            }
        }
    }

    func stored(_ effects: [ShardEffect]) -> [StoreWrite] {
        effects.flatMap { effect -> [StoreWrite] in if case .store(let writes) = effect { writes } else { [] } }
    }

    /// Carries everything between the sets, each turn durable at once, until nothing is said any more.
    func settle(_ sets: inout [ShardSet], _ first: [(Int, [ShardEffect])], batch: UInt64 = 9) -> [ShardEffect] {
        var all: [ShardEffect] = []
        var queue = first
        for _ in 0..<40 where !queue.isEmpty {
            let work = queue
            queue = []
            all += work.flatMap(\.1)
            for to in sets.indices {
                let effects = turn(&sets[to], batch: batch) { set, effects in
                    set.stored(upTo: batch, now: 0, into: &effects)
                    for (from, sent) in work where from != to {
                        for message in messages(sent, to: to) {
                            set.handle(
                                message, from: Self.ids[from], generation: 1, batch: batch, now: 0, into: &effects)
                        }
                    }
                }
                if !effects.isEmpty { queue.append((to, effects)) }
            }
        }
        return all
    }

    func placed(
        _ sets: inout [ShardSet], _ entry: ShardEntry, of shard: UInt16 = 5, batch: UInt64 = 9
    ) -> [ShardEffect] {
        var first: [(Int, [ShardEffect])] = []
        for node in sets.indices {
            first.append(
                (
                    node,
                    turn(&sets[node], batch: batch) {
                        $0.place(shard, entry, batch: batch, now: 0, into: &$1)
                    }
                ))
        }
        return settle(&sets, first, batch: batch)
    }

    @Test func aLoneNodeCommitsWhenItsDiskHasIt() {
        var set = set(0)
        var effects = turn(&set, batch: 1) { $0.place(shard, entry(1, [0]), batch: 1, now: 0, into: &$1) }
        #expect(set.role(shard) == .owner(.opening))
        effects = turn(&set, batch: 2) { $0.stored(upTo: 1, now: 0, into: &$1) }
        #expect(effects.contains(.activated(shard: shard, epoch: 1)))
        effects = turn(&set, batch: 2) { $0.write([write(1, [7])], batch: 2, now: 0, into: &$1) }
        #expect(!effects.contains(.committed(shard: shard, upTo: 2)))
        effects = turn(&set, batch: 3) { $0.stored(upTo: 2, now: 0, into: &$1) }
        #expect(effects == [.committed(shard: shard, upTo: 2)])
        #expect(set.rows(of: shard).map(\.value) == [[7]])
    }

    @Test func aShardThatIsReleasedWhileItIsTakenOverIsNotServed() {
        var set = set(0)
        _ = turn(&set, batch: 1) { $0.place(shard, entry(1, [0]), batch: 1, now: 0, into: &$1) }
        #expect(set.role(shard) == .owner(.opening))
        #expect(turn(&set, batch: 2) { $0.release([shard], into: &$1) }.isEmpty)
        let effects = turn(&set, batch: 2) { $0.stored(upTo: 1, now: 0, into: &$1) }
        #expect(effects.isEmpty && set.role(shard) == .owner(.closed))
    }

    @Test func twoReplicasCommitTogether() {
        var sets = [set(0), set(1)]
        let first = placed(&sets, entry(1, [0, 1]))
        #expect(first.contains(.activated(shard: shard, epoch: 1)))
        var effects = turn(&sets[0], batch: 10) { $0.write([write(1, [7])], batch: 10, now: 0, into: &$1) }
        let copies = messages(effects, to: 1)
        effects = turn(&sets[0], batch: 11) { $0.stored(upTo: 10, now: 0, into: &$1) }
        #expect(effects.isEmpty)
        effects = turn(&sets[1], batch: 10) {
            $0.handle(copies[0], from: Self.ids[0], generation: 1, batch: 10, now: 0, into: &$1)
        }
        let answer = messages(effects, to: 0)
        #expect(effects.contains { if case .sendAfterStored(.copied, _) = $0 { true } else { false } })
        effects = turn(&sets[0], batch: 11) {
            $0.handle(answer[0], from: Self.ids[1], generation: 1, batch: 11, now: 0, into: &$1)
        }
        #expect(effects == [.committed(shard: shard, upTo: 10)])
        #expect(sets[0].digest(shard) == sets[1].digest(shard))
    }

    @Test func aNewOwnerFindsWhatAnotherReplicaHasAndTheOldOneIsFenced() {
        var sets = [set(0), set(1), set(2)]
        _ = placed(&sets, entry(1, [0, 1, 2]))
        // Only node 1 hears of the change.
        let effects = turn(&sets[0], batch: 10) { $0.write([write(1, [7])], batch: 10, now: 0, into: &$1) }
        _ = turn(&sets[1], batch: 10) {
            $0.handle(
                messages(effects, to: 1)[0], from: Self.ids[0], generation: 1, batch: 10, now: 0, into: &$1)
        }
        let next = turn(&sets[2], batch: 11) {
            $0.place(shard, entry(2, [2, 1, 0]), batch: 8, now: 0, into: &$1)
        }
        let all = settle(&sets, [(2, next)])
        #expect(all.contains(.deactivated(shard: shard)))
        #expect(all.contains(.activated(shard: shard, epoch: 2)))
        #expect(sets[2].rows(of: shard).map(\.value) == [[7]])
        #expect(sets[0].role(shard) == .owner(.closed))
        // Writes of the old owner go nowhere.
        let late = turn(&sets[0], batch: 12) { $0.write([write(2, [8])], batch: 12, now: 0, into: &$1) }
        #expect(late.isEmpty && sets[0].counters.writesDropped == 1)
        #expect(sets[0].digest(shard) == sets[2].digest(shard))
    }

    @Test func anEpochIsNotServedTwice() {
        var first = set(0)
        var rows = stored(turn(&first, batch: 1) { $0.place(shard, entry(4, [0]), batch: 1, now: 0, into: &$1) })
        _ = turn(&first, batch: 2) { $0.stored(upTo: 1, now: 0, into: &$1) }
        rows += stored(turn(&first, batch: 2) { $0.write([write(1, [7])], batch: 2, now: 0, into: &$1) })
        var second = set(0, rows: rows, generation: 2)
        #expect(second.watermark(shard) == ShardVersion(epoch: 4, count: 2))
        _ = turn(&second, batch: 1) { $0.place(shard, entry(4, [0]), batch: 1, now: 0, into: &$1) }
        #expect(second.role(shard) == .owner(.closed) && second.closedCount == 1)
        _ = turn(&second, batch: 1) { $0.place(shard, entry(5, [0]), batch: 1, now: 0, into: &$1) }
        _ = turn(&second, batch: 2) { $0.stored(upTo: 1, now: 0, into: &$1) }
        #expect(second.isActive(shard) && second.rows(of: shard).count == 1)
    }

    @Test func aSectionThatDoesNotFollowIsRefused() {
        var set = set(1)
        _ = turn(&set, batch: 1) { $0.place(shard, entry(1, [0, 1, 2]), batch: 1, now: 0, into: &$1) }
        _ = turn(&set, batch: 1) {
            $0.handle(
                .promise([PromiseRequest(shard: shard, epoch: 1)]), from: Self.ids[0], generation: 1, batch: 1,
                now: 0, into: &$1)
        }
        let section = CopySection(
            shard: shard, version: ShardVersion(epoch: 1, count: 3), previous: ShardVersion(epoch: 1, count: 2),
            rows: [])
        let effects = turn(&set, batch: 2) {
            $0.handle(
                .copies(stream: 1 << 32 + 1, sections: [section]), from: Self.ids[0], generation: 1, batch: 2,
                now: 0, into: &$1)
        }
        let refusal = CopyRefusal(shard: shard, watermark: .zero, promised: 1)
        #expect(
            effects == [.sendAfterStored(.copied(stream: 1 << 32 + 1, refused: [refusal]), to: Self.ids[0])])
        // A hole in the stream is said at once, by the stream's number alone.
        let hole = turn(&set, batch: 2) {
            $0.handle(
                .copies(stream: 1 << 32 + 3, sections: []), from: Self.ids[0], generation: 1, batch: 2, now: 0,
                into: &$1)
        }
        #expect(hole == [.send(.copied(stream: 1 << 32, refused: []), to: Self.ids[0])])
    }

    /// Copies stand on rows that come after them in the same turn: the acknowledgement must not claim those copies.
    @Test func aRefusalStaysUntilWhatWasRefusedIsHere() {
        var set = set(1)
        _ = turn(&set, batch: 1) { $0.place(shard, entry(1, [0, 1, 2]), batch: 1, now: 0, into: &$1) }
        func hear(_ messages: [ReplicationMessage], batch: UInt64) -> [ShardEffect] {
            turn(&set, batch: batch) { set, effects in
                for message in messages {
                    set.handle(message, from: Self.ids[0], generation: 1, batch: batch, now: 0, into: &effects)
                }
            }
        }
        _ = hear([.promise([PromiseRequest(shard: shard, epoch: 1)])], batch: 1)
        func section(_ count: UInt64) -> CopySection {
            CopySection(
                shard: shard, version: ShardVersion(epoch: 1, count: count),
                previous: ShardVersion(epoch: 1, count: count - 1), rows: [])
        }
        let watermark = ShardVersion(epoch: 1, count: 2)
        let row = ShardRow(kind: 1, key: [1], version: watermark, value: [7])
        let piece = RowsPiece(
            shard: shard, epoch: 1, from: .zero, to: watermark, base: .zero, isWhole: false, piece: 0, isLast: true,
            purge: .zero, rows: [row])
        let stream: UInt64 = 1 << 32 + 1
        let first = hear([.copies(stream: stream, sections: [section(3)]), .rows(piece)], batch: 2)
        let refusal = CopyRefusal(shard: shard, watermark: watermark, promised: 1)
        #expect(set.watermark(shard) == watermark)
        #expect(messages(first, to: 0).contains(.copied(stream: stream, refused: [refusal])))
        // What follows is taken, and what was refused is not missing any more.
        let second = hear([.copies(stream: stream + 1, sections: [section(3)])], batch: 3)
        #expect(messages(second, to: 0) == [.copied(stream: stream + 1, refused: [])])
    }

    /// Rows that were under way on a connection that broke come behind the changes that followed them.
    @Test func rowsThatWereOutrunDoNotTakeATableBack() {
        var set = set(1)
        _ = turn(&set, batch: 1) { $0.place(shard, entry(1, [0, 1, 2]), batch: 1, now: 0, into: &$1) }
        func hear(_ message: ReplicationMessage, batch: UInt64) -> [ShardEffect] {
            turn(&set, batch: batch) {
                $0.handle(message, from: Self.ids[0], generation: 1, batch: batch, now: 0, into: &$1)
            }
        }
        func whole(upTo count: UInt64) -> RowsPiece {
            let row = ShardRow(kind: 1, key: [1], version: ShardVersion(epoch: 1, count: count), value: [UInt8(count)])
            return RowsPiece(
                shard: shard, epoch: 1, from: .zero, to: row.version, base: .zero, isWhole: true, piece: 0,
                isLast: true, purge: .zero, rows: [row])
        }
        _ = hear(.promise([PromiseRequest(shard: shard, epoch: 1)]), batch: 1)
        _ = hear(.rows(whole(upTo: 6)), batch: 2)
        let next = CopySection(
            shard: shard, version: ShardVersion(epoch: 1, count: 7), previous: ShardVersion(epoch: 1, count: 6),
            rows: [ShardRow(kind: 1, key: [2], version: ShardVersion(epoch: 1, count: 7), value: [7])])
        _ = hear(.copies(stream: 1 << 32 + 1, sections: [next]), batch: 3)
        #expect(hear(.rows(whole(upTo: 2)), batch: 4).isEmpty)
        #expect(set.watermark(shard) == ShardVersion(epoch: 1, count: 7))
        #expect(set.rows(of: shard).map(\.value) == [[6], [7]])
        #expect(set.counters.piecesDropped == 1)
    }

    @Test func anUntrustedDiskOwnsNothingAndDoesNotCount() {
        var set = set(0)
        let rows = set.distrust()
        #expect(rows.count == 4097)
        _ = turn(&set, batch: 1) { $0.place(shard, entry(2, [0]), batch: 1, now: 0, into: &$1) }
        #expect(set.role(shard) == .owner(.closed))
        let effects = turn(&set, batch: 1) {
            $0.handle(
                .promise([PromiseRequest(shard: 6, epoch: 3)]), from: Self.ids[1], generation: 1, batch: 1, now: 0,
                into: &$1)
        }
        let answer = PromiseAnswer(shard: 6, epoch: 3, watermark: .zero, isValid: false)
        #expect(messages(effects, to: 1) == [.promised([answer])])
    }

    @Test func storedRowsThatAreNoneAreSaidSo() {
        var set = ShardSet(settings: ShardSettings(), me: Self.ids[0], generation: 1)
        let zeros = [UInt8](repeating: 0, count: 17)
        let none: [(StoredKind, [UInt8], [UInt8])] = [
            (.record, [1], []), (.record, [0, 1, 2], [1, 2, 3]), (.record, [255, 255, 2], zeros),
            (.shardState, [0, 1], [9]), (.node, [0, 1, 2], zeros),
        ]
        for (kind, key, value) in none {
            let isTaken = set.restore(kind: kind, key: key, value: value)
            #expect(!isTaken)
        }
        #expect(set.rowCount == 0)
    }

    @Test func nothingThatArrivesTraps() {
        var dice = Dice(seed: 4711)
        var sets = [set(0), set(1), set(2)]
        _ = placed(&sets, entry(1, [0, 1, 2]))
        func number() -> UInt64 { dice.chance(percent: 5) ? .max : UInt64(dice.below(4)) }
        func version() -> ShardVersion { ShardVersion(epoch: number(), count: number()) }
        func place() -> UInt16 { dice.chance(percent: 10) ? .max : shard + UInt16(dice.below(2)) }
        for _ in 0..<3000 {
            let rows = [
                ShardRow(
                    kind: UInt8(dice.below(60)), key: [UInt8(dice.below(3))], version: version(),
                    value: dice.chance(percent: 50) ? nil : [1])
            ]
            let message: ReplicationMessage =
                switch dice.below(8) {
                case 0:
                    .copies(
                        stream: number() << 32 | number(),
                        sections: [
                            CopySection(
                                shard: place(), version: version(), previous: version(), purge: version(), rows: rows)
                        ])
                case 1:
                    .copied(
                        stream: number() << 32 | number(),
                        refused: [CopyRefusal(shard: place(), watermark: version(), promised: number())])
                case 2: .promise([PromiseRequest(shard: place(), epoch: number())])
                case 3:
                    .promised([
                        PromiseAnswer(shard: place(), epoch: number(), watermark: version(), isValid: true)
                    ])
                case 4:
                    .rows(
                        RowsPiece(
                            shard: place(), epoch: number(), from: version(), to: version(), base: version(),
                            isWhole: dice.chance(percent: 50), piece: UInt32(dice.below(3)),
                            isLast: dice.chance(percent: 50), purge: version(), rows: rows))
                case 5: .rowsTaken(shard: place(), epoch: number(), piece: UInt32(dice.below(3)), to: version())
                case 6: .rowsWanted([RowsRequest(shard: place(), epoch: number(), watermark: version())])
                default: .digests([ShardDigest(shard: place(), watermark: version(), count: 1, hash: number())])
                }
            let to = Int(dice.below(3))
            _ = turn(&sets[to], batch: 20) {
                $0.handle(
                    message, from: Self.ids[(to + 1) % 3], generation: 1, batch: 20, now: 0, into: &$1)
                $0.tick(batch: 20, now: Int64(dice.below(100_000)), into: &$1)
            }
        }
        #expect(sets.contains { $0.counters.unknownShards > 0 })
    }
}
