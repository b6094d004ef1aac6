import Cluster
import LiveActivity
import Telemetry
import Testing
import Wire

@testable import Node

@Suite struct EventTraceTests {
    @Test func anEventIsFollowedFromStageToStage() throws {
        var trace = EventTrace()
        trace.note([1], .ingest, at: 10, "from scores")
        trace.note([2], .ingest, at: 11, "")
        trace.note([1], .settle, at: 12, "apns_accepted")
        #expect(trace.notes(of: [1]).map(\.stage) == [.ingest, .settle])
        #expect(trace.notes(of: [3]).isEmpty)
        let bytes = trace.document(of: [1], node: "n1")
        let document = try JSONValue(parsing: bytes.span)
        #expect(document["node"]?.string == "n1")
        #expect(document["stages"]?[1]?["stage"]?.string == "Settle")
        #expect(document["stages"]?[1]?["at_ms"]?.integer == 12)
    }

    @Test func oldNotesMakeRoom() {
        var trace = EventTrace(capacity: 3)
        for number in 1...5 { trace.note([UInt8(number)], .route, at: Int64(number), "") }
        #expect(trace.overwritten == 2)
        #expect((1...5).map { trace.notes(of: [UInt8($0)]).count } == [0, 0, 1, 1, 1])
        trace.note([4], .settle, at: 6, "")
        #expect(trace.notes(of: [4]).map(\.stage) == [.route, .settle], "in the order of time")
    }

    @Test func shardsAreListedWithTheKeyThatWasAskedFor() throws {
        let rows = (0..<3).map {
            ShardsDocument.Row(shard: $0, epoch: 7, owner: "n2", replicas: ["n2", "n1"], state: .copy)
        }
        let bytes = ShardsDocument(node: "n1", seedIsKnown: true, rows: rows, stuck: nil).bytes(keyShard: 2)
        let document = try JSONValue(parsing: bytes.span)
        #expect(document["shards"]?.array?.count == 3)
        #expect(document["key"]?["shard"]?.integer == 2)
        #expect(document["key"]?["replicas"]?[1]?.string == "n1")
        #expect(document["shards"]?[0]?["state"]?.string == "copy")
        #expect(document["stuck"] == nil, "only the coordinator knows")
    }

    @Test func stuckShardsThatMissTheSameCopiesAreListedTogether() throws {
        let (here, away) = (NodeID(high: 1, low: 1), NodeID(high: 2, low: 2))
        func stuck(_ shard: UInt16, _ living: [NodeID], _ missing: [NodeID]) -> StuckShard {
            StuckShard(shard: shard, replicas: living + missing, living: living, missing: missing)
        }
        let all = [stuck(3, [here], [away]), stuck(5, [], [here, away]), stuck(4096, [here], [away])]
        let groups = StuckGroup.groups(all) { $0 == here ? "n1" : "n2 (removed)" }
        let bytes = ShardsDocument(node: "n1", seedIsKnown: true, rows: [], stuck: groups).bytes(keyShard: nil)
        let document = try JSONValue(parsing: bytes.span)
        #expect(document["stuck"]?[0]?["shards"]?.array?.map(\.integer) == [3, 4096])
        #expect(document["stuck"]?[0]?["living"]?[0]?.string == "n1")
        #expect(document["stuck"]?[0]?["missing"]?[0]?.string == "n2 (removed)")
        #expect(document["stuck"]?[1]?["shards"]?.array?.map(\.integer) == [5])
        #expect(document["stuck"]?[1]?["missing"]?.array?.count == 2)
    }
}
