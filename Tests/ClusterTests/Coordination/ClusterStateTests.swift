import Testing
import Wire

@testable import Cluster

/// Commands of the log: the same everywhere, total, idempotent.
@Suite struct ClusterStateTests {
    private func node(_ number: UInt64) -> NodeID { NodeID(high: number, low: ~number) }

    private func member(_ number: UInt64, name: String? = nil, generation: UInt64 = 10) -> Member {
        Member(
            id: node(number), incarnation: Incarnation(generation: generation), name: name ?? "n\(number)", zone: "z",
            control: "tcp://127.0.0.1:\(number)", data: "tcp://127.0.0.1:1\(number)", producers: "tcp://127.0.0.1:2",
            minor: 3, isDraining: number == 9, isCutOff: number % 2 == 0)
    }

    private func apply(_ state: inout ClusterState, _ commands: ClusterCommand...) -> [ClusterChange] {
        state.apply(ClusterCommand.encode(commands))
    }

    @Test func membersGetNumbersThatAreNeverUsedAgain() {
        var state = ClusterState()
        #expect(
            apply(&state, .admit(member(1)), .admit(member(2))) == [.admitted(node(1)), .admitted(node(2))])
        #expect(apply(&state, .admit(member(1))).isEmpty)
        #expect(apply(&state, .remove(node(2))) == [.removed(node(2))])
        #expect(apply(&state, .remove(node(2)), .remove(node(7))).isEmpty)
        #expect(apply(&state, .admit(member(2))).isEmpty, "a removed node never comes back")
        #expect(apply(&state, .admit(member(3))) == [.admitted(node(3))])
        #expect(state.members[node(3)]?.number == 3)
        #expect(state.present.map(\.number) == [1, 3])
    }

    @Test func aNameBelongsToOneMember() {
        var state = ClusterState()
        _ = apply(&state, .admit(member(1, name: "a")), .admit(member(2, name: "b")))
        #expect(apply(&state, .admit(member(3, name: "a"))).isEmpty)
        #expect(apply(&state, .describe(member(2, name: "a"))).isEmpty)
        #expect(
            apply(&state, .remove(node(1)), .admit(member(3, name: "a"))) == [.removed(node(1)), .admitted(node(3))])
        #expect(state.member(named: "a")?.number == 3)
    }

    @Test func aNewGenerationRaisesTheEpochsOfWhatTheNodeOwns() {
        var state = ClusterState()
        _ = apply(&state, .admit(member(1)), .admit(member(2)))
        _ = apply(
            &state,
            .place([
                PlacedShard(shard: 1, entry: ShardEntry(epoch: 4, replicas: [node(1), node(2)])),
                PlacedShard(shard: 2, entry: ShardEntry(epoch: 4, replicas: [node(2), node(1)])),
            ]))
        #expect(apply(&state, .generation(node(1), 11)) == [.generation(node(1), 11), .placed(shards: [1])])
        #expect(state.placement[1].epoch == 5)
        #expect(state.placement[2].epoch == 4)
        #expect(apply(&state, .generation(node(1), 11), .generation(node(1), 3)).isEmpty)
        #expect(apply(&state, .generation(node(5), 3)).isEmpty)
    }

    @Test func placingIsIdempotentAndKnowsTheMembers() {
        var state = ClusterState()
        _ = apply(&state, .admit(member(1)), .admit(member(2)))
        let place = ClusterCommand.place([PlacedShard(shard: 1, entry: ShardEntry(epoch: 1, replicas: [node(1)]))])
        #expect(apply(&state, place) == [.placed(shards: [1])])
        #expect(apply(&state, place).isEmpty)
        let stranger = ShardEntry(epoch: 2, replicas: [node(1), node(8)])
        #expect(apply(&state, .place([PlacedShard(shard: 1, entry: stranger)])).isEmpty)
        _ = apply(&state, .remove(node(1)))
        let kept = ShardEntry(epoch: 2, replicas: [node(1)], learners: [node(2)])
        #expect(apply(&state, .place([PlacedShard(shard: 1, entry: kept)])) == [.placed(shards: [1])])
        #expect(apply(&state, .place([PlacedShard(shard: 3, entry: kept)])).isEmpty)
    }

    @Test func channelsAreRows() {
        var state = ClusterState()
        #expect(apply(&state, .channel(key: [1], value: [2])) == [.channel(key: [1], value: [2])])
        #expect(apply(&state, .channel(key: [1], value: [2])).isEmpty)
        #expect(apply(&state, .channel(key: [1], value: nil)) == [.channel(key: [1], value: nil)])
        #expect(state.channels.isEmpty)
    }

    private func full() -> ClusterState {
        var state = ClusterState()
        let list = (0...Shard.registry).map {
            PlacedShard(
                shard: $0,
                entry: ShardEntry(
                    epoch: 3, replicas: [node(1), node(2)], learners: [node(9)], former: $0 % 2 == 0 ? [node(1)] : []))
        }
        _ = apply(
            &state, .admit(member(1)), .admit(member(2)), .admit(member(9)), .place(list), .remove(node(2)),
            .channel(key: [1, 2], value: Array("row".utf8)), .channel(key: [], value: []))
        return state
    }

    @Test func aSnapshotIsTheState() throws {
        let state = full()
        let bytes = state.encode()
        let copy = try #require(ClusterState(bytes: bytes))
        #expect(copy == state)
        #expect(copy.encode() == bytes)
        #expect(ClusterState(bytes: []) == nil)
        #expect(ClusterState(bytes: bytes + [0]) == nil)
        #expect(ClusterState(bytes: bytes.dropLast()) == nil)
    }

    @Test func everyCommandComesBackFromItsBytes() throws {
        let commands: [ClusterCommand] = [
            .admit(member(1)), .describe(member(9)), .remove(node(3)), .generation(node(1), .max),
            .place([PlacedShard(shard: 4096, entry: ShardEntry(epoch: 1, replicas: [node(1)], former: [node(2)]))]),
            .confirm([Progress.ShardEpoch(shard: 3, epoch: 9)]), .channel(key: [1], value: nil),
            .channel(key: [2], value: Array(repeating: 1, count: ClusterCommand.valueBytesMax)),
        ]
        let bytes = ClusterCommand.encode(commands)
        #expect(ClusterCommand.decode(bytes) == commands)
        for length in 0..<100 { #expect(ClusterCommand.decode(Array(bytes.prefix(length))) == nil) }
        #expect(ClusterCommand.decode(bytes + [0]) == nil)
        let long = ClusterCommand.channel(key: [], value: Array(repeating: 1, count: ClusterCommand.valueBytesMax + 1))
        #expect(ClusterCommand.decode(ClusterCommand.encode([long])) == nil)
    }

    @Test func commandsArePackedIntoEntries() {
        let value = Array(repeating: UInt8(1), count: ClusterCommand.valueBytesMax)
        let commands = (0..<600).map { ClusterCommand.channel(key: [UInt8($0 % 256), UInt8($0 / 256)], value: value) }
        let batches = ClusterCommand.batches(commands)
        #expect(batches.count == 3)
        #expect(batches.flatMap { $0 } == commands)
        #expect(batches.allSatisfy { ClusterCommand.encode($0).count <= LogEntry.bytesMax })
    }

    @Test func mutatedBytesNeverTrap() {
        var dice = Dice(seed: 99)
        let command = ClusterCommand.encode([
            .admit(member(1)), .place([PlacedShard(shard: 1, entry: ShardEntry(epoch: 1, replicas: [node(1)]))]),
            .confirm([Progress.ShardEpoch(shard: 3, epoch: 9)]), .channel(key: [1], value: [2]),
        ])
        var state = ClusterState()
        for _ in 0..<20_000 {
            var bytes = command
            for _ in 0...dice.below(4) { bytes[Int(dice.below(Int64(bytes.count)))] = UInt8(dice.below(256)) }
            if dice.chance(percent: 20) { bytes.removeLast(Int(dice.below(Int64(bytes.count)))) }
            _ = state.apply(bytes)
        }
        let snapshot = full().encode()
        for _ in 0..<50 {
            var bytes = snapshot
            for _ in 0...dice.below(4) { bytes[Int(dice.below(400))] = UInt8(dice.below(256)) }
            _ = ClusterState(bytes: bytes)
        }
    }
}
