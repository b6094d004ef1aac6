internal import Codes
internal import LiveActivity

/// Whether a cluster is well, judged by what all its nodes say.
///
/// Well means: every node of the configuration answers and is a member, all see the same coordinator and each other
/// alive, and every shard is served with all its copies in step.
struct ClusterHealth {
    /// What is not as it should be, a sentence each; empty when the cluster is well.
    private(set) var reasons: [String] = []

    var isHealthy: Bool { reasons.isEmpty }

    init(_ answers: [NodeAnswer]) {
        if answers.isEmpty { add("nobody was asked yet") }
        for answer in answers {
            switch answer.result {
            case .failure(let fault): add("\(answer.name) does not answer (\(fault.code.slug))")
            case .success(let document): check(document, answer.name, among: answers.count)
            }
        }
        checkAgreement(answers)
        checkShards(answers)
    }

    private mutating func add(_ reason: String) {
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    private mutating func check(_ document: JSONValue, _ name: String, among count: Int) {
        if let phase = document["phase"]?.string, phase != "running" { add("\(name) is \(phase)") }
        guard case .object? = document["cluster"] else {
            if count > 1 { add("\(name) does not belong to a cluster") }
            return
        }
        let cluster = document["cluster"]
        for reason in cluster?["reasons"]?.array ?? [] { add("\(name): \(reason.string ?? "")") }
        if cluster?["healthy"]?.bool == false && (cluster?["reasons"]?.array ?? []).isEmpty {
            add("\(name) says that it is not well")
        }
        guard cluster?["is_single"]?.bool != true else { return }
        if cluster?["coordinator"]?.string == nil { add("\(name) knows no coordinator") }
        if cluster?["lease"]?["held"]?.bool == false { add("\(name) holds no lease") }
        for member in document["members"]?.array ?? [] where member["state"]?.string != "alive" {
            add("\(member["name"]?.string ?? "") is \(member["state"]?.string ?? "") to \(name)")
        }
        if let expected = cluster?["nodes_expected"]?.integer {
            let found = document["members"]?.array?.count ?? 0
            if found < expected { add("\(name) knows \(found) of \(expected) nodes") }
        }
    }

    /// All must mean the same cluster and the same coordinator.
    private mutating func checkAgreement(_ answers: [NodeAnswer]) {
        let clusters = answers.compactMap { $0.document?["cluster"] }
        for (member, what) in [("coordinator", "coordinators"), ("identity", "clusters")] {
            let values = Set(clusters.compactMap { $0[member]?.string }).sorted()
            if values.count > 1 { add("the nodes name different \(what): \(values.joined(separator: ", "))") }
        }
    }

    private mutating func checkShards(_ answers: [NodeAnswer]) {
        var owned: Int64 = 0
        var total: Int64 = 0
        for answer in answers {
            guard let shards = answer.document?["shards"] else { continue }
            func figure(_ name: String) -> Int64 { shards[name]?.integer ?? 0 }
            total = max(total, figure("total"))
            owned += figure("owned")
            if figure("active") < figure("owned") {
                add("\(answer.name) serves \(figure("active")) of its \(figure("owned")) shards")
            }
            if figure("closed") > 0 { add("\(answer.name) has \(figure("closed")) shards without enough copies") }
            if figure("behind") > 0 { add("\(answer.name) has \(figure("behind")) copies that are behind") }
        }
        // Only when all were asked can their shares be added up.
        let isComplete = answers.allSatisfy { $0.document?["shards"] != nil }
        if isComplete, owned != total { add("\(owned) of \(total) shards have an owner that says so") }
    }
}
