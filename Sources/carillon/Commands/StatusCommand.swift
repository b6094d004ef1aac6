internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Terminal

/// `carillon status`: how a node is.
enum StatusCommand {
    static let command = Command(
        "status", "Show how a node is: stages, disk, APNs.",
        details: "Ends with 69 when nobody answers, and with 5 when the node answers and is unhealthy.",
        options: Program.askingOptions,
        examples: [
            CommandExample("carillon status", "Prints the six stages and what they did."),
            CommandExample("carillon status -o json", "Prints the whole document."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let bytes = try program.ask(invocation) { client throws(Refusal) in try await client.nodeStatus() }
        guard let document = try? JSONValue(parsing: bytes.span, limits: JSONLimits(bytesMax: 1 << 20)) else {
            throw Fault(.malformed, "the node's status is no JSON")
        }
        if program.console.format == .json {
            program.console.write(String(decoding: bytes, as: UTF8.self) + "\n")
        } else {
            program.console.write(
                head(document) + "\n" + StatusText.table(document).text(wide: program.console.format == .wide))
        }
        return document["phase"]?.string == "running" ? .success : .unhealthy
    }

    private static func head(_ document: JSONValue) -> String {
        func text(_ name: String) -> String { document[name]?.string ?? "" }
        func time(_ name: String) -> String { Humanised.duration(milliseconds: document[name]?.integer ?? 0) }
        return """
            \(text("node")) of \(text("cluster")): \(text("phase")), up \(time("uptime_ms")), version \(text("version"))
            \(text("note"))
            age of the newest unsent state: \(time("age_of_newest_unsent_ms"))

            """
    }
}

/// The status document as a table: one row a figure, grouped by stage.
enum StatusText {
    static func table(_ document: JSONValue) -> Table {
        var table = Table([.text("STAGE"), .text("WHAT"), .number("VALUE")])
        for (group, figures) in document["stages"]?.members ?? [] {
            append(&table, group, figures)
        }
        append(&table, "store", document["store"])
        for app in document["apps"]?.array ?? [] {
            append(&table, "apns \(app["app"]?.string ?? "")", app)
        }
        append(&table, "process", document["process"])
        return table
    }

    private static func append(_ table: inout Table, _ group: String, _ figures: JSONValue?) {
        for (name, value) in figures?.members ?? [] {
            guard let number = value.integer else { continue }
            table.append([.init(group), .init(name.replacingUnderscores), .init("\(number)")])
        }
    }
}

extension JSONValue {
    /// Names and values of an object, in order.
    fileprivate var members: [(String, JSONValue)] {
        guard case .object(let members) = self else { return [] }
        return members.map { ($0.name, $0.value) }
    }
}

extension String {
    fileprivate var replacingUnderscores: String { String(map { $0 == "_" ? " " : $0 }) }
}
