internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon members`: who belongs to the cluster, as the first node sees it that answers.
enum MembersCommand {
    static let command = Command(
        "members", "List the nodes of the cluster.",
        details: """
            Shows the cluster as one node sees it: name it with --node to compare views. OWNED are the shards that a \
            node serves, COPIES those that it keeps, CLOCK how far its clock is off the median.
            """,
        options: Program.askingOptions,
        examples: [
            CommandExample("carillon members", "Lists all members with state, zone and shards."),
            CommandExample("carillon members --node n2 -o wide", "Lists them as n2 sees them, with addresses."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let circle = try NodeCircle(program, invocation)
        defer { circle.close() }
        let answers = circle.ask(.status)
        let documents = try answers.documents()
        guard let document = documents.first(where: { $0["members"] != nil }) ?? documents.first else {
            return .unavailable
        }
        program.console.show(MemberText.table(document), json: document["members"] ?? .array([]))
        return .success
    }
}

/// Members of a status document as a table.
enum MemberText {
    static func table(_ document: JSONValue) -> Table {
        var table = Table([
            .text("NAME"), .text("STATE"), .text("ROLE"), .text("ZONE"), .number("WEIGHT"), .number("OWNED"),
            .number("COPIES"), .number("CLOCK"), .number("GENERATION", wide: true), .text("ID", wide: true),
            .text("CONTROL", wide: true), .text("DATA", wide: true),
        ])
        for member in document["members"]?.array ?? [] {
            table.append(row(member, document["cluster"]))
        }
        return table
    }

    /// What a node is to the coordinator's log.
    static func role(_ name: String, _ member: JSONValue?, _ cluster: JSONValue?) -> String {
        if cluster?["is_single"]?.bool == true { return "single" }
        if cluster?["coordinator"]?.string == name { return "coordinator" }
        let voters = cluster?["voters"]?.array?.compactMap(\.string) ?? []
        if member?["is_voter"]?.bool ?? voters.contains(name) { return "voter" }
        return member == nil ? "" : "learner"
    }

    private static func row(_ member: JSONValue, _ cluster: JSONValue?) -> [Table.Cell] {
        func text(_ name: String) -> String { member[name]?.string ?? "" }
        func number(_ name: String) -> Table.Cell { .init(member[name]?.integer.map(String.init) ?? "") }
        let state = text("state")
        let isDraining = member["is_draining"]?.bool == true
        let clock = member["clock_offset_ms"]?.integer.map { ($0 > 0 ? "+" : "") + "\($0) ms" } ?? ""
        return [
            .init(text("name")),
            .init(state + (isDraining ? ", draining" : ""), state == "alive" && !isDraining ? .green : .yellow),
            .init(role(text("name"), member, cluster)), .init(text("zone")), number("weight"), number("owned"),
            number("copies"), .init(clock), number("generation"), .init(text("id")), .init(text("control")),
            .init(text("data")),
        ]
    }
}
