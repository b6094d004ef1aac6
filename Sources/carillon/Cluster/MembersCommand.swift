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
        let flapping = MemberText.flapping(documents)
        program.console.show(
            MemberText.table(document, flapping: flapping), json: document["members"] ?? .array([]))
        for (name, left) in flapping.sorted(by: { $0.key < $1.key }) {
            program.console.say(Printable.text(MemberText.advice(name, left)))
        }
        for name in MemberText.cutOff(document) {
            program.console.say(Printable.text(MemberText.advice(cutOff: name)))
        }
        return .success
    }
}

/// Members of a status document as a table.
enum MemberText {
    static func table(_ document: JSONValue, flapping: [String: Int64] = [:]) -> Table {
        var table = Table([
            .text("NAME"), .text("STATE"), .text("ROLE"), .text("ZONE"), .number("WEIGHT"), .number("OWNED"),
            .number("COPIES"), .number("CLOCK"), .number("GENERATION", wide: true), .text("ID", wide: true),
            .text("CONTROL", wide: true), .text("DATA", wide: true),
        ])
        for member in document["members"]?.array ?? [] {
            table.append(row(member, document["cluster"], flapping))
        }
        return table
    }

    /// Who owns nothing for a while because it comes and goes, by name, and for how long, in milliseconds: the
    /// coordinator's word.
    static func flapping(_ documents: [JSONValue]) -> [String: Int64] {
        var flapping: [String: Int64] = [:]
        for member in documents.flatMap({ $0["members"]?.array ?? [] }) {
            guard let name = member["name"]?.string, let left = member["flap_penalty_ms"]?.integer else { continue }
            flapping[name] = max(flapping[name] ?? 0, left)
        }
        return flapping
    }

    /// What it means and what to look at.
    static func advice(_ name: String, _ left: Int64) -> String {
        "\(name) has come back, or had no lease for a while: it is given no shards to own for another "
            + "\(Humanised.duration(milliseconds: left)). If that comes again, look for long stalls of its machine, "
            + "disk or network."
    }

    /// Who says that it does not reach APNs.
    static func cutOff(_ document: JSONValue) -> [String] {
        (document["members"]?.array ?? []).filter { $0["is_cut_off"]?.bool == true }.compactMap { $0["name"]?.string }
    }

    /// What that means and what to look at.
    static func advice(cutOff name: String) -> String {
        "\(name) does not reach APNs; the others own its keys as long as they do. Look at its way to the hosts on "
            + "port 443 or 2197: firewall, routes, DNS."
    }

    /// What a node is to the coordinator's log.
    static func role(_ name: String, _ member: JSONValue?, _ cluster: JSONValue?) -> String {
        if cluster?["is_single"]?.bool == true { return "single" }
        if cluster?["coordinator"]?.string == name { return "coordinator" }
        let voters = cluster?["voters"]?.array?.compactMap(\.string) ?? []
        if member?["is_voter"]?.bool ?? voters.contains(name) { return "voter" }
        return member == nil ? "" : "learner"
    }

    private static func row(
        _ member: JSONValue, _ cluster: JSONValue?, _ flapping: [String: Int64]
    ) -> [Table.Cell] {
        func text(_ name: String) -> String { member[name]?.string ?? "" }
        func number(_ name: String) -> Table.Cell { .init(member[name]?.integer.map(String.init) ?? "") }
        let state = text("state")
        let isDraining = member["is_draining"]?.bool == true
        let isCutOff = member["is_cut_off"]?.bool == true
        let flaps = flapping[text("name")] != nil
        let words =
            state + (isDraining ? ", draining" : "") + (isCutOff ? ", no APNs" : "") + (flaps ? ", flapping" : "")
        let clock = member["clock_offset_ms"]?.integer.map { ($0 > 0 ? "+" : "") + "\($0) ms" } ?? ""
        return [
            .init(text("name")),
            .init(words, words == "alive" ? .green : .yellow),
            .init(role(text("name"), member, cluster)), .init(text("zone")), number("weight"), number("owned"),
            number("copies"), .init(clock), number("generation"), .init(text("id")), .init(text("control")),
            .init(text("data")),
        ]
    }
}
