internal import CLinux
internal import Codes
internal import LiveActivity
internal import Loops
internal import Terminal
internal import Wire

/// `carillon status`: how the cluster is, or one node.
enum StatusCommand {
    static let command = Command(
        "status", "Show how the cluster is, or one node: stages, disk, APNs.",
        details: """
            Asks every node of the configuration. A cluster is healthy when every node answers and sees all others \
            alive, all agree on the coordinator, and every shard is served with all its copies. Ends with 0 when it \
            is healthy, with 5 when it is not, and with 69 when nobody answers; so does --exit-when-healthy when its \
            time is over. A node that is named with --node or --endpoint shows its six stages.
            """,
        options: [
            .flag("watch", "Show every change until Ctrl-C; with -o json one object a line."),
            .flag("exit-when-healthy", "Wait until the cluster is healthy."),
            .duration("within", "How long to wait for that.").fallback("60s"),
        ] + Program.askingOptions,
        examples: [
            CommandExample("carillon status", "Says whether the cluster is healthy, and why not."),
            CommandExample("carillon status --exit-when-healthy", "Waits up to a minute for a healthy cluster."),
            CommandExample("carillon status --node n1", "Prints the six stages of n1 and what they did."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let circle = try NodeCircle(program, invocation)
        defer { circle.close() }
        if invocation.flag("watch") || invocation.flag("exit-when-healthy") {
            return try StatusWatch(program, invocation, circle).run()
        }
        let answers = circle.ask(.status)
        let documents = try answers.documents()
        if invocation.text("node") != nil || invocation.text("endpoint") != nil {
            return showNode(documents[0], program)
        }
        let text = ClusterText(answers)
        switch program.console.format {
        case .json: program.console.write(text.json.pretty + "\n")
        case .table, .wide:
            let isWide = program.console.format == .wide
            program.console.write(text.text(wide: isWide, painter: program.console.painter))
            // A node alone is the whole cluster: its stages are shown at once.
            if answers.count == 1 { program.console.write("\n" + StatusText.table(documents[0]).text(wide: isWide)) }
        }
        return text.health.isHealthy ? .success : .unhealthy
    }

    private static func showNode(_ document: JSONValue, _ program: Program) -> ExitStatus {
        if program.console.format == .json {
            program.console.write(document.pretty + "\n")
        } else {
            program.console.write(
                head(document) + "\n" + StatusText.table(document).text(wide: program.console.format == .wide))
        }
        return document["phase"]?.string == "running" ? .success : .unhealthy
    }

    private static func head(_ document: JSONValue) -> String {
        func text(_ name: String) -> String { document[name]?.string ?? "" }
        func time(_ name: String) -> String { Humanised.duration(milliseconds: document[name]?.integer ?? 0) }
        let cluster = document["cluster"]?["name"]?.string ?? text("cluster")
        return """
            \(text("node")) of \(cluster): \(text("phase")), up \(time("uptime_ms")), version \(text("version"))
            \(text("note"))
            age of the newest unsent state: \(time("age_of_newest_unsent_ms"))

            """
    }
}

/// Asks again and again, shows what changed, and ends when the cluster is healthy or the time is over.
private final class StatusWatch {
    private static let pauseMilliseconds: Int32 = 500

    private let console: Console
    private let circle: NodeCircle
    private let watches: Bool
    private let endsWhenHealthy: Bool
    private let withinMilliseconds: Int64
    private let screen: Screen
    private var shown = ""

    init(_ program: Program, _ invocation: Invocation, _ circle: NodeCircle) {
        console = program.console
        self.circle = circle
        watches = invocation.flag("watch")
        endsWhenHealthy = invocation.flag("exit-when-healthy")
        withinMilliseconds = invocation.milliseconds("within") ?? 60_000
        screen = Screen(plain: console.format == .json, environment: program.environment)
    }

    func run() throws(Fault) -> ExitStatus {
        defer { screen.close() }
        let deadline = Clock.bootMilliseconds() + withinMilliseconds
        while true {
            let answers = circle.ask(.status)
            let text = ClusterText(answers)
            let isOver = endsWhenHealthy && (text.health.isHealthy || Clock.bootMilliseconds() >= deadline)
            if watches || isOver { show(text) }
            if isOver {
                _ = try answers.documents()
                return text.health.isHealthy ? .success : .unhealthy
            }
            Waiting.pause(milliseconds: Self.pauseMilliseconds)
        }
    }

    /// On a terminal the picture is drawn anew, elsewhere only changes are printed.
    private func show(_ text: ClusterText) {
        if console.format == .json {
            console.write(text.json.compact + "\n")
        } else if screen.isLive && watches {
            let picture = text.text(wide: console.format == .wide, painter: console.painter)
            screen.draw(picture.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
        } else {
            let picture = ([text.headline] + text.health.reasons.map { "  - " + $0 }).joined(separator: "\n")
            guard picture != shown else { return }
            shown = picture
            console.write(Printable.lines(picture) + "\n")
        }
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

extension Printable {
    /// Several lines, each safe for a terminal.
    fileprivate static func lines(_ text: String) -> String {
        text.split(separator: "\n").map { Self.text(String($0)) }.joined(separator: "\n")
    }
}

extension JSONValue {
    /// Names and values of an object, in order.
    fileprivate var members: [(String, JSONValue)] {
        guard case .object(let members) = self else { return [] }
        return members.map { ($0.name, $0.value) }
    }

    /// On one line.
    fileprivate var compact: String {
        var json = JSONWriter()
        json.value(self)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate var replacingUnderscores: String { String(map { $0 == "_" ? " " : $0 }) }
}
