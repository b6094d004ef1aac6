import Codes
import LiveActivity
import Terminal
import Testing

@testable import carillon

@Suite struct ClusterHealthTests {
    private func reasons(_ change: (String, JSONValue) -> JSONValue?) -> [String] {
        ClusterHealth(SampleAnswers.status(change)).reasons
    }

    private func spoil(_ node: String, _ change: @escaping (JSONValue) -> JSONValue?) -> [String] {
        reasons { name, document in name == node ? change(document) : document }
    }

    @Test func threeNodesThatAgreeAreHealthy() {
        let health = ClusterHealth(SampleAnswers.status())
        #expect(health.isHealthy, "\(health.reasons)")
    }

    @Test func whoeverDoesNotAnswerIsNamed() {
        #expect(spoil("n3") { _ in nil } == ["n3 does not answer (no-answer)"])
    }

    @Test func everyKindOfTroubleHasItsSentence() {
        #expect(spoil("n1") { $0.with("phase", value: "draining") } == ["n1 is draining"])
        #expect(
            spoil("n1") { $0.with("cluster", "coordinator", value: .null) } == ["n1 knows no coordinator"])
        #expect(
            spoil("n2") { $0.with("cluster", "coordinator", value: "n1") }
                == ["the nodes name different coordinators: n1, n2"])
        #expect(
            spoil("n2") { $0.with("cluster", "identity", value: "ff") }.first?.hasPrefix(
                "the nodes name different clusters") == true)
        #expect(spoil("n2") { $0.with("cluster", "lease", "held", value: false) } == ["n2 holds no lease"])
        #expect(spoil("n2") { $0.with("cluster", value: "carillon") } == ["n2 does not belong to a cluster"])
        let dead = SampleAnswers.member("n3").with("state", value: "dead")
        let members: JSONValue = [SampleAnswers.member("n1"), SampleAnswers.member("n2"), dead]
        #expect(spoil("n1") { $0.with("members", value: members) } == ["n3 is dead to n1"])
        #expect(spoil("n1") { $0.with("members", value: []) } == ["n1 knows 0 of 3 nodes"])
        #expect(
            spoil("n1") { $0.with("cluster", "reasons", value: ["the disk is slow"]) } == ["n1: the disk is slow"])
    }

    @Test func everyShardMustBeServedWithAllItsCopies() {
        #expect(
            spoil("n2") { $0.with("shards", "active", value: 1000) } == ["n2 serves 1000 of its 1366 shards"])
        #expect(spoil("n2") { $0.with("shards", "behind", value: 4) } == ["n2 has 4 copies that are behind"])
        #expect(
            spoil("n2") { $0.with("shards", "closed", value: 4) } == ["n2 has 4 shards without enough copies"])
        #expect(
            spoil("n2") { $0.with("shards", "owned", value: 1365).with("shards", "active", value: 1365) }
                == ["4096 of 4097 shards have an owner that says so"])
    }

    @Test func aClusterOfOneNeedsNobody() {
        let single = SampleAnswers.status(of: "n1").with("cluster", "is_single", value: true)
            .with("cluster", "coordinator", value: .null).with("members", value: [])
            .with("shards", "owned", value: 4097).with("shards", "active", value: 4097)
        #expect(ClusterHealth([NodeAnswer(name: "n1", result: .success(single))]).isHealthy)
        let plain: JSONValue = ["node": "n1", "cluster": "carillon", "phase": "running", "nodes": 1]
        #expect(ClusterHealth([NodeAnswer(name: "n1", result: .success(plain))]).isHealthy)
    }

    @Test func theTextSaysItInOneLineAndATable() {
        let text = ClusterText(SampleAnswers.status { $0 == "n3" ? .none : .some($1) })
        #expect(
            text.headline
                == "carillon: NOT HEALTHY, coordinator n2 (term 3), 2 of 3 nodes answer, 2731 of 4097 shards served")
        let shown = text.text(wide: false, painter: Painter(isOn: false))
        #expect(shown.contains("  - n3 does not answer (no-answer)\n"))
        #expect(shown.contains("n2     running     coordinator   a"), "\(shown)")
        #expect(text.json["healthy"]?.bool == false)
        #expect(text.json["nodes"]?[2]?["answered"]?.bool == false)
        #expect(text.json["nodes"]?[0]?["status"]?["node"]?.string == "n1")
    }
}
