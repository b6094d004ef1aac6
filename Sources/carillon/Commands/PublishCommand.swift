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
        "publish", "Publish an event for a channel or an activity.",
        details: """
            FILE holds the payload, JSON with `aps`; - reads standard input. `aps.timestamp` may be left out: the \
            node puts it in. Prints the acknowledgement once the event is on disk. Give --id when you may have to \
            repeat the command: the same ID is answered and not sent again.
            """,
        arguments: [CommandArgument("FILE", "The payload, or - for standard input.", path: true)],
        options: Naming.options + [
            .text("id", "ID", "Event ID, 1 to 64 bytes; made up by default."),
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
        let event = Publish(
            sequence: 0, target: try Naming.target(invocation), id: id, payload: payload,
            important: invocation.flag("important"), priority: invocation.text("priority").flatMap(UInt8.init),
            revision: revision, expiresAtMilliseconds: expiry)
        let ack = try program.ask(invocation) { client throws(Refusal) in try await client.publish(event) }
        program.console.show(
            Table([.text("ID"), .number("VERSION"), .number("INSTANCE"), .number("COPIES"), .text("REPEATED")]).with([
                [
                    .init(identifier), .init("\(ack.epoch).\(ack.version)"), .init("\(ack.instance)"),
                    .init("\(ack.copies)"), .init(ack.repeated ? "yes" : "no"),
                ]
            ]),
            json: [
                "id": .string(identifier), "epoch": .integer(ack.epoch), "version": .integer(ack.version),
                "instance": .count(ack.instance), "copies": .count(ack.copies), "repeated": .bool(ack.repeated),
            ])
        return .success
    }
}
