import Codes
import LiveActivity
import Terminal
import Testing
import Wire

@testable import carillon

@Suite struct ClusterViewTests {
    @Test func membersAreListedWithTheirRole() {
        let text = MemberText.table(SampleAnswers.status(of: "n1")).text(wide: false)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 4)
        #expect(lines[1] == "n1     alive   voter         a         100    1366     4097   -3 ms")
        #expect(lines[2].contains("coordinator"))
        let wide = MemberText.table(SampleAnswers.status(of: "n1")).text(wide: true)
        #expect(wide.contains("tcp://127.0.0.1:7721"))
    }

    @Test func whoFlapsIsNamedByTheCoordinatorsWord() throws {
        var members = SampleAnswers.names.map(SampleAnswers.member)
        members[2] = members[2].adding("flap_penalty_ms", 18_000)
        let own = SampleAnswers.status(of: "n1")
        let coordinators = SampleAnswers.status(of: "n2").with("members", value: .array(members))
        let flapping = MemberText.flapping([own, coordinators])
        #expect(flapping == ["n3": 18_000])
        let lines = MemberText.table(own, flapping: flapping).text().split(separator: "\n")
        #expect(lines[3].contains("alive, flapping") && !lines[1].contains("flapping"))
        let advice = MemberText.advice("n3", 18_000)
        #expect(advice.hasPrefix("n3 has come back") && advice.contains("18"))
    }

    @Test func anEmptyDocumentIsAHeader() {
        #expect(MemberText.table(.object([])).rows.isEmpty)
    }

    @Test func theNewestPlacementCountsAndOwnersSpeakForTheirShards() throws {
        let answers = SampleAnswers.shards()
        let view = try #require(ShardView(answers, try answers.documents()))
        #expect(view.rows.map(\.owner) == ["n1", "n2", "n2", "n3"])
        #expect(view.rows.map(\.state) == ["active", "active", "opening", "closed"])
        #expect(view.key?.epoch == 2 && view.key?.replicas == ["n2", "n1", "n3"])
        let shares = Dictionary(uniqueKeysWithValues: view.shares.map { ($0.name, $0.share) })
        #expect(shares["n2"] == .init(owned: 2, copies: 4, active: 1, opening: 1, behind: 1, epochMax: 2))
        #expect(shares["n3"]?.closed == 1)
        #expect(view.summary.text().split(separator: "\n").count == 4)
        #expect(view.summaryJSON[1]?["opening"]?.integer == 1)
    }

    @Test func aNodeThatIsAwayLeavesItsShardsWithoutAWord() throws {
        var answers = SampleAnswers.shards()
        answers[1] = NodeAnswer(name: "n2", result: .failure(Fault(.noAnswer)))
        let view = try #require(ShardView(answers, try answers.documents()))
        #expect(view.rows.map(\.state) == ["active", "", "", "closed"])
        #expect(ShardView([], [.object([])]) == nil)
    }

    @Test func stuckShardsAreTheCoordinatorsWordWithTheNextStep() throws {
        var answers = SampleAnswers.shards()
        let document = try #require(answers[1].document)
        #expect(ShardView(answers, [document])?.stuck == nil, "nobody coordinates")
        answers[1] = NodeAnswer(name: "n2", result: .success(document.adding("stuck", SampleAnswers.stuck)))
        let stuck = try #require(ShardView(answers, try answers.documents())?.stuck)
        #expect(stuck.map(\.shards) == [[1, 2], [3], [4096]])
        #expect(stuck[0].reason == "n2 (removed) and n3 do not answer; a copy is left on n1")
        #expect(stuck[1].reason == "n1, n2 and n3 do not answer; no copy is left")
        #expect(stuck[2].reason == "its copies on n1 and n2 cannot be read")
        #expect(stuck[0].loss == "what n2 (removed) and n3 had of 2 shards and n1 had not yet")
        #expect(stuck[1].loss == "everything in shard 3 that was stored on n1, n2 and n3")
        #expect(stuck[0].only(2)?.shards == [2] && stuck[0].only(3) == nil)
        let advice = try #require(StuckShards.advice(stuck))
        #expect(advice.hasPrefix("4 shards are stuck, shard 1 for example: n2 (removed) and n3 do not answer"))
        #expect(advice.hasSuffix("carillon shard recover --all --accept-loss"))
        #expect(StuckShards.advice([stuck[2]])?.hasSuffix("carillon shard recover 4096 --accept-loss") == true)
        #expect(StuckShards.advice([]) == nil)
        #expect(StuckShards.table(stuck).text().split(separator: "\n").count == 4)
        #expect(StuckShards.json(stuck)[0]?["missing"]?[1]?.string == "n3")
    }

    @Test func keysAreNamedAsTheyArePrinted() throws {
        let target = try ShardsCommand.key("cricket/channel/match/7")
        #expect(target.name.description.contains("match/7"))
        #expect(throws: Never.self) { try ShardsCommand.key("cricket/activity/order") }
        for bad in ["", "cricket", "cricket/channel", "cricket/match/7", "/channel/x", "cricket/channel/"] {
            #expect(throws: Fault.self, "\(bad)") { try ShardsCommand.key(bad) }
        }
    }

    @Test func aTraceIsInTheOrderOfTimeAndStages() {
        func answer(_ node: String, _ stages: [(String, Int64)]) -> NodeAnswer {
            let steps = stages.map { ["stage": .string($0.0), "at_ms": .integer($0.1), "text": "x"] as JSONValue }
            return NodeAnswer(name: node, result: .success(["node": .string(node), "stages": .array(steps)]))
        }
        let steps = TraceStep.all([
            answer("n2", [("Replicate", 105), ("Settle", 190)]), answer("n1", [("Route", 105), ("Ingest", 104)]),
            NodeAnswer(name: "n3", result: .failure(Fault(.noAnswer))),
        ])
        #expect(steps.map(\.stage) == ["Ingest", "Route", "Replicate", "Settle"])
        #expect(steps.map(\.node) == ["n1", "n1", "n2", "n2"])
        let table = TraceStep.table(steps).text()
        #expect(table.contains("1970-01-01T00:00:00.104Z") && table.contains("+86 ms"))
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_790_000_000_123, "2026-09-21T14:13:20.123Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-5, "1970-01-01T00:00:00.000Z"),
        ] as [(Int64, String)])
    func timesAreWrittenInUTC(milliseconds: Int64, text: String) {
        #expect(TimeText.utc(milliseconds: milliseconds) == text)
    }
}
