import Testing
import Wire

@testable import Cluster

/// The table itself: epochs, questions, stored form.
@Suite struct PlacementTests {
    private let a = NodeID(high: 1, low: 1)
    private let b = NodeID(high: 2, low: 2)
    private let c = NodeID(high: 3, low: 3)

    @Test func epochsOnlyGrow() {
        var placement = Placement()
        let isPlaced = placement.place(7, ShardEntry(epoch: 2, replicas: [a, b]))
        #expect(isPlaced)
        let result1 = placement.place(7, ShardEntry(epoch: 2, replicas: [b, a]))
        #expect(!result1)
        let result2 = placement.place(7, ShardEntry(epoch: 1, replicas: [b]))
        #expect(!result2)
        let result3 = placement.place(4097, ShardEntry(epoch: 1, replicas: [b]))
        #expect(!result3)
        #expect(placement[7].owner == a)
        #expect(placement[65_535] == ShardEntry())
        #expect(placement.version == 1)
    }

    @Test func confirmingForgetsTheFormerOfThatEpochOnly() {
        var placement = Placement()
        _ = placement.place(7, ShardEntry(epoch: 2, replicas: [a], former: [b]))
        let result4 = placement.confirm(7, epoch: 1)
        #expect(!result4)
        let result5 = placement.confirm(9000, epoch: 1)
        #expect(!result5)
        #expect(placement[7].former == [b])
        let result6 = placement.confirm(7, epoch: 2)
        #expect(result6)
        #expect(placement[7].former.isEmpty)
        let result7 = placement.confirm(7, epoch: 2)
        #expect(!result7)
    }

    @Test func whoHasWhat() {
        var placement = Placement()
        _ = placement.place(0, ShardEntry(epoch: 1, replicas: [a, b]))
        _ = placement.place(9, ShardEntry(epoch: 1, replicas: [b, a], learners: [c]))
        _ = placement.place(Shard.registry, ShardEntry(epoch: 1, replicas: [a]))
        #expect(placement.owned(by: a) == [0, Shard.registry])
        #expect(placement.replicated(on: a) == [0, 9, Shard.registry])
        #expect(placement.copied(to: c) == [9])
        let restarted = placement.restart(owner: a)
        #expect(restarted == [0, Shard.registry])
        #expect(placement[0].epoch == 2)
        #expect(placement[9].epoch == 1)
    }

    @Test func differencesNameTheChangedEntries() {
        var placement = Placement()
        _ = placement.place(3, ShardEntry(epoch: 1, replicas: [a]))
        let old = placement
        _ = placement.place(4, ShardEntry(epoch: 1, replicas: [b]))
        _ = placement.place(3, ShardEntry(epoch: 2, replicas: [b]))
        #expect(placement.changes(since: old).map(\.shard) == [3, 4])
        #expect(old.changes(since: old).isEmpty)
    }

    @Test func theStoredFormIsCompactAndComesBack() throws {
        var placement = Placement()
        for shard in 0...Shard.registry {
            _ = placement.place(
                shard, ShardEntry(epoch: UInt64(shard) + 1, replicas: [a, b, c], former: shard % 2 == 0 ? [b] : []))
        }
        var row = RowWriter(capacity: 0)
        placement.write(into: &row)
        #expect(row.bytes.count < 100_000)
        var reader = RowReader(row.bytes)
        let read = try #require(Placement(from: &reader))
        #expect(read == placement)
        #expect(reader.isAtEnd)
    }

    @Test func listsThatAreNoneAreRefused() {
        func read(_ list: [PlacedShard], _ change: (inout [UInt8]) -> Void = { _ in }) -> [PlacedShard]? {
            var row = RowWriter(capacity: 0)
            PlacedShard.write(list, into: &row)
            var bytes = row.bytes
            change(&bytes)
            var reader = RowReader(bytes)
            return PlacedShard.read(from: &reader)
        }
        let good = PlacedShard(shard: 5, entry: ShardEntry(epoch: 1, replicas: [a, b]))
        #expect(read([good]) == [good])
        #expect(read([good, good]) == nil)
        #expect(read([PlacedShard(shard: 4097, entry: good.entry)]) == nil)
        #expect(read([PlacedShard(shard: 5, entry: ShardEntry(epoch: 1, replicas: [a, a]))]) == nil)
        let many = (0..<9).map { NodeID(high: 9, low: $0) }
        #expect(read([PlacedShard(shard: 5, entry: ShardEntry(epoch: 1, replicas: many))]) == nil)
        #expect(read([good]) { $0.removeLast() } == nil)
    }
}
