internal import Codes
internal import LiveActivity
internal import Terminal

/// A cluster as people and programs read it.
struct ClusterText {
    let answers: [NodeAnswer]
    let health: ClusterHealth

    init(_ answers: [NodeAnswer]) {
        self.answers = answers
        health = ClusterHealth(answers)
    }

    private var documents: [JSONValue] { answers.compactMap(\.document) }

    /// One line: is it well, who coordinates, how much is served.
    var headline: String {
        let known = documents.first { $0["cluster"]?["coordinator"]?.string != nil } ?? documents.first
        let cluster = known?["cluster"]
        let name = cluster?["name"]?.string ?? cluster?.string ?? "carillon"
        var parts = [health.isHealthy ? "healthy" : "NOT HEALTHY"]
        if let coordinator = cluster?["coordinator"]?.string {
            parts.append("coordinator \(coordinator) (term \(cluster?["term"]?.integer ?? 0))")
        }
        parts.append("\(documents.count) of \(answers.count) nodes answer")
        let shards = documents.compactMap { $0["shards"] }
        if let total = shards.compactMap({ $0["total"]?.integer }).max() {
            let active = shards.reduce(0) { $0 + ($1["active"]?.integer ?? 0) }
            parts.append("\(active) of \(total) shards served")
        }
        return "\(name): " + parts.joined(separator: ", ")
    }

    /// The headline, what is wrong, and a table of nodes.
    func text(wide: Bool, painter: Painter) -> String {
        var lines = [headline] + health.reasons.map { "  - " + $0 }
        if let note = documents.first(where: { $0["nodes"]?.integer == 1 })?["note"]?.string { lines.append(note) }
        return lines.map { Printable.text($0) + "\n" }.joined() + "\n" + table.text(wide: wide, painter: painter)
    }

    private var table: Table {
        var table = Table([
            .text("NODE"), .text("STATE"), .text("ROLE"), .text("ZONE"), .number("OWNED"), .number("ACTIVE"),
            .number("COPIES"), .number("BEHIND"), .number("UNSENT"), .number("LEASE", wide: true), .text("UP"),
        ])
        for answer in answers { table.append(row(answer)) }
        return table
    }

    private func row(_ answer: NodeAnswer) -> [Table.Cell] {
        guard let document = answer.document else {
            return [.init(answer.name), .init("no answer", .red)]
        }
        let cluster = document["cluster"]
        let own = document["members"]?.array?.first { $0["name"]?.string == answer.name }
        func figure(_ name: String) -> Table.Cell {
            .init(document["shards"]?[name]?.integer.map { Humanised.count($0) } ?? "")
        }
        func time(_ value: JSONValue?) -> Table.Cell {
            .init(value?.integer.map { Humanised.duration(milliseconds: $0) } ?? "")
        }
        let phase = document["phase"]?.string ?? ""
        return [
            .init(answer.name), .init(phase, phase == "running" ? .green : .yellow),
            .init(MemberText.role(answer.name, own, cluster)),
            .init(own?["zone"]?.string ?? cluster?["node"]?["zone"]?.string ?? ""), figure("owned"),
            figure("active"), .init(own?["copies"]?.integer.map { Humanised.count($0) } ?? ""), figure("behind"),
            time(document["age_of_newest_unsent_ms"]), time(cluster?["lease"]?["remaining_ms"]),
            time(document["uptime_ms"]),
        ]
    }

    /// Everything for programs: `format` 1, members are only ever added.
    var json: JSONValue {
        let nodes = answers.map { answer -> JSONValue in
            switch answer.result {
            case .success(let document):
                ["name": .string(answer.name), "answered": true, "status": document]
            case .failure(let fault):
                ["name": .string(answer.name), "answered": false, "code": .string(fault.code.id)]
            }
        }
        return [
            "format": 1, "healthy": .bool(health.isHealthy), "reasons": .array(health.reasons.map { .string($0) }),
            "nodes": .array(nodes),
        ]
    }
}
