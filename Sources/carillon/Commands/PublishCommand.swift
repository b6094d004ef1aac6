internal import CLinux
internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Loops
internal import Terminal
internal import Wire

/// `carillon publish`: one event, acknowledged when it is on disk.
enum PublishCommand {
    static let command = Command(
        "publish", "Publish an event for a channel, an activity, or both.",
        details: """
            FILE holds the payload, JSON with `aps`; - reads standard input. `aps.timestamp` may be left out: the \
            node puts it in. Prints the acknowledgement once the event is on disk. Give --id when you may have to \
            repeat the command: the same ID is answered and not sent again. With --event start it starts an activity \
            by push on the devices of --user, or on one --device; every device gets at most one start of an instance.
            """,
        arguments: [CommandArgument("FILE", "The payload, or - for standard input.", path: true)],
        options: Naming.options + [
            .text("id", "ID", "Event ID, 1 to 64 bytes; made up by default."),
            .word("event", ["start", "update", "end"], "What the payload says in aps.event; start needs it."),
            .text("user", "ID", "For a start: the user whose devices it is for.").fallback(""),
            .text("device", "ID", "For a start: the device; every device of the user by default.").fallback(""),
            .flag("fallback", "For a start: where no activity can be had, send its alert to the ordinary token."),
            .flag("important", "Keep its place until it is sent, at priority 10."),
            .word("priority", ["5", "10"], "The apns-priority."),
            .text("revision", "NUMBER", "Refused when the key already has a higher revision."),
            .duration("expires-in", "Of no use after this time."),
        ] + Program.askingOptions,
        examples: [
            CommandExample("carillon publish --app cricket --channel match/7 goal.json", "Publishes a file."),
            CommandExample(
                "cat goal.json | carillon publish --app cricket --channel match/7 --important -",
                "Publishes standard input."),
            CommandExample(
                "carillon publish --app cricket --channel match/7 --activity match/7 goal.json",
                "Publishes for those who follow the channel and for older devices with tokens."),
            CommandExample(
                "carillon publish --app cricket --activity order/4711 --event start --user u17 start.json",
                "Starts an activity on the user's devices."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let payload = try CommandFiles.read(invocation.argument("FILE") ?? "-", bytesMax: 65_536).get()
        let identifier = invocation.text("id") ?? "cli-\(Clock.wallMilliseconds())-\(getpid())"
        guard let id = EventID(identifier) else {
            throw Fault(.badOptionValue, "1 to 64 printable bytes", at: "--id")
        }
        var revision: Int64?
        if let text = invocation.text("revision") {
            guard let number = Int64(text) else { throw Fault(.badOptionValue, "a whole number", at: "--revision") }
            revision = number
        }
        let expiry = invocation.milliseconds("expires-in").map { Clock.wallMilliseconds() + $0 }
        let (target, activity) = try Naming.targets(invocation)
        let event = Publish(
            sequence: 0, target: target, id: id, payload: payload,
            event: invocation.text("event").flatMap { name in EventKind.allCases.first { $0.name == name } },
            important: invocation.flag("important"), priority: invocation.text("priority").flatMap(UInt8.init),
            revision: revision, expiresAtMilliseconds: expiry, activity: activity,
            user: invocation.text("user") ?? "", device: invocation.text("device") ?? "",
            fallback: invocation.flag("fallback"))
        let ack = try program.ask(invocation) { client throws(Refusal) in try await client.publish(event) }
        show(ack, identifier, program)
        return .success
    }

    /// One line for each name that took the event.
    private static func show(_ ack: Ack, _ identifier: String, _ program: Program) {
        var rows: [[Table.Cell]] = [
            [
                .init(identifier), .init("\(ack.epoch).\(ack.version)"), .init("\(ack.instance)"),
                .init("\(ack.copies)"), .init(ack.repeated ? "yes" : "no"),
            ]
        ]
        var members: [JSONValue.Member] = [
            .init("id", .string(identifier)), .init("epoch", .integer(ack.epoch)),
            .init("version", .integer(ack.version)), .init("instance", .count(ack.instance)),
            .init("copies", .count(ack.copies)), .init("repeated", .bool(ack.repeated)),
        ]
        if let activity = ack.activity {
            rows.append([
                .init(identifier), .init("\(activity.epoch).\(activity.version)"), .init("\(activity.instance)"),
                .init("\(ack.copies)"), .init(activity.repeated ? "yes" : "no"),
            ])
            members.append(
                .init(
                    "activity",
                    [
                        "epoch": .integer(activity.epoch), "version": .integer(activity.version),
                        "instance": .count(activity.instance), "repeated": .bool(activity.repeated),
                    ]))
        }
        program.console.show(
            Table([.text("ID"), .number("VERSION"), .number("INSTANCE"), .number("COPIES"), .text("REPEATED")])
                .with(rows), json: .object(members))
    }
}
