internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon get`: the most recent message of a key.
enum GetCommand {
    static let command = Command(
        "get", "Print the most recent message of a channel or an activity.",
        details: "Prints the payload as its producer wrote it; -o wide or json adds version, stamp and outcome.",
        options: Naming.options + Program.askingOptions,
        examples: [CommandExample("carillon get --app cricket --channel match/7", "Prints the newest payload.")])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let target = try Naming.target(invocation)
        let state = try program.ask(invocation) { client throws(Refusal) in try await client.get(target) }
        let payload = String(decoding: state.payload, as: UTF8.self)
        guard program.console.format != .table else {
            program.console.write(payload.hasSuffix("\n") ? payload : payload + "\n")
            return .success
        }
        program.console.show(
            Table([.text("KEY"), .text("ID"), .text("EVENT"), .number("VERSION"), .number("STAMP"), .text("OUTCOME")])
                .with([
                    [
                        .init(state.key.description), .init(state.id.description), .init(state.event.name),
                        .init("\(state.epoch).\(state.version)"), .init("\(state.stampSeconds)"),
                        .init(state.outcome.rawValue),
                    ]
                ]),
            json: [
                "key": .string(state.key.description), "id": .string(state.id.description),
                "event": .string(state.event.name), "important": .bool(state.important),
                "epoch": .integer(state.epoch), "version": .integer(state.version),
                "stamp_s": .integer(state.stampSeconds),
                "revision": state.revision.map { .integer($0) } ?? nil, "outcome": .string(state.outcome.rawValue),
                "payload": .string(payload),
            ])
        return .success
    }
}

/// `carillon event show`: what became of an event.
enum EventCommand {
    static let command = Command(
        "event show", "Say what became of an event.",
        details: "The last 16 events of each key are remembered, over restarts.",
        arguments: [CommandArgument("ID", "The event ID.")],
        options: Naming.options + Program.askingOptions,
        examples: [CommandExample("carillon event show goal-17 --app cricket --channel match/7", "Shows its outcome.")])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        guard let id = EventID(invocation.argument("ID") ?? "") else {
            throw Fault(.badOptionValue, "1 to 64 printable bytes", at: "ID")
        }
        let target = try Naming.target(invocation)
        let report = try program.ask(invocation) { client throws(Refusal) in try await client.status(target, id: id) }
        let counts = report.counts
        program.console.show(
            Table([
                .text("ID"), .text("KEY"), .text("OUTCOME"), .text("REASON"), .number("DESTINATIONS"),
                .number("REACHED"),
            ]).with([
                [
                    .init(report.id.description), .init(report.key.description), .init(report.outcome.rawValue),
                    .init(report.reason), .init("\(counts.destinations)"), .init("\(counts.reached)"),
                ]
            ]),
            json: [
                "id": .string(report.id.description), "key": .string(report.key.description),
                "outcome": .string(report.outcome.rawValue), "reason": .string(report.reason),
                "destinations": .count(counts.destinations), "reached": .count(counts.reached),
                "superseded": .count(counts.superseded), "expired": .count(counts.expired),
                "failed": .count(counts.failed), "gone": .count(counts.gone), "unknown": .count(counts.unknown),
            ])
        return .success
    }
}
