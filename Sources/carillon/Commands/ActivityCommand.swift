internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Loops
internal import Terminal
internal import Wire

/// `carillon activity show`: who follows an activity, and where it was started.
enum ActivityCommand {
    static let command = Command(
        "activity show", "Show who follows an activity and on which devices it was started.",
        details: """
            Tokens are shown in part only. A start is `pending` until the app has registered the update token, \
            `overdue` when it has not in time, and `unknown` when the answer of APNs was lost: none of them is sent \
            again. A token in quarantine is not sent to until it is registered again.
            """,
        arguments: [CommandArgument("NAME", "The activity.")],
        options: [
            .text("app", "APP", "Section [app.NAME] of the configuration.").variable("CARILLON_APP").required()
        ] + Program.askingOptions,
        examples: [
            CommandExample("carillon activity show order/4711 --app cricket", "Lists its tokens and starts."),
            CommandExample("carillon activity show order/4711 --app cricket -o json", "Prints them for a program."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let name = invocation.argument("NAME") ?? ""
        guard let target = Target(app: invocation.text("app") ?? "", kind: .activity, name: name) else {
            throw Fault(.badOptionValue, "app names have 1 to 128 bytes, names 1 to 200")
        }
        let report = try program.ask(invocation) { client throws(Refusal) in try await client.activity(target) }
        program.console.show(table(report), json: json(report))
        return .success
    }

    private static func age(_ milliseconds: Int64) -> String {
        "\(max(0, Clock.wallMilliseconds() - milliseconds) / 1000)s"
    }

    private static func table(_ report: ActivityReport) -> Table {
        var rows: [[Table.Cell]] = [
            [
                .init("activity"), .init(report.key.description), .init(""), .init(report.state), .init(""),
                .init("\(report.tokenCount) tokens" + (report.event.isEmpty ? "" : ", newest event \(report.event)")),
            ]
        ]
        rows += report.starts.map { start in
            [
                .init("start"), .init(start.user), .init(start.device), .init(start.state),
                .init(age(start.sinceMilliseconds)),
                .init("instance \(start.instance)" + (start.reason.isEmpty ? "" : ", \(start.reason)")),
            ]
        }
        rows += report.tokens.map { token in
            let state = token.quarantine.isEmpty ? token.isBehind ? "behind" : "in use" : "quarantined"
            let details = [token.token, token.attributesType, token.quarantine].filter { !$0.isEmpty }
            return [
                .init("\(token.kind.rawValue) token"), .init(token.user), .init(token.device), .init(state),
                .init(age(token.registeredAtMilliseconds)), .init(details.joined(separator: ", ")),
            ]
        }
        return Table([
            .text("WHAT"), .text("USER"), .text("DEVICE"), .text("STATE"), .number("AGE"), .text("DETAILS"),
        ]).with(rows)
    }

    private static func json(_ report: ActivityReport) -> JSONValue {
        [
            "key": .string(report.key.description), "instance": .count(report.key.instance),
            "state": .string(report.state), "event": .string(report.event), "token_count": .count(report.tokenCount),
            "starts": .array(
                report.starts.map {
                    [
                        "user": .string($0.user), "device": .string($0.device), "instance": .count($0.instance),
                        "state": .string($0.state), "since_ms": .integer($0.sinceMilliseconds),
                        "reason": .string($0.reason),
                    ]
                }),
            "tokens": .array(
                report.tokens.map {
                    [
                        "kind": .string($0.kind.rawValue), "token": .string($0.token),
                        "attributes_type": .string($0.attributesType), "user": .string($0.user),
                        "device": .string($0.device), "registered_at_ms": .integer($0.registeredAtMilliseconds),
                        "behind": .bool($0.isBehind), "quarantine": .string($0.quarantine),
                    ]
                }),
        ]
    }
}
