internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon register` and `unregister`: tokens that follow an activity.
enum RegisterCommands {
    private static let token = CommandArgument("TOKEN", "The push token, hexadecimal; - reads it from standard input.")
    private static let options: [CommandOption] =
        [
            .text("app", "APP", "Section [app.NAME] of the configuration.").variable("CARILLON_APP").required(),
            .text("activity", "NAME", "The activity.").required(),
            .integer("instance", 1...Int(UInt32.max), "The instance; the newest by default."),
            .text("user", "ID", "Your name for the user.").fallback(""),
            .text("device", "ID", "Your name for the device.").fallback(""),
        ] + Program.askingOptions

    static let register = Command(
        "register", "Let a token follow an activity; it gets the current state at once.",
        arguments: [token], options: options,
        examples: [
            CommandExample("carillon register 80c1e4d0 --app cricket --activity order/4711", "Registers a token.")
        ])
    static let unregister = Command(
        "unregister", "Let a token follow an activity no more.",
        arguments: [token], options: options,
        examples: [
            CommandExample("carillon unregister 80c1e4d0 --app cricket --activity order/4711", "Removes a token.")
        ])

    static func register(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let registration = try registration(invocation)
        show(try program.ask(invocation) { client throws(Refusal) in try await client.register(registration) }, program)
        return .success
    }

    static func unregister(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let registration = try registration(invocation)
        show(
            try program.ask(invocation) { client throws(Refusal) in try await client.unregister(registration) }, program
        )
        return .success
    }

    private static func registration(_ invocation: Invocation) throws(Fault) -> Registration {
        var text = invocation.argument("TOKEN") ?? ""
        if text == "-" {
            let bytes = try CommandFiles.read("-", bytesMax: 4096).get()
            text = String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)
        }
        guard let token = PushToken(text) else {
            throw Fault(.badOptionValue, "an even number of hexadecimal digits, at most 512", at: "TOKEN")
        }
        let instance = invocation.integer("instance").map { UInt32(clamping: $0) }
        guard
            let target = Target(
                app: invocation.text("app") ?? "", kind: .activity, name: invocation.text("activity") ?? "",
                instance: instance)
        else { throw Fault(.badOptionValue, "app names have 1 to 128 bytes, names 1 to 200") }
        return Registration(
            sequence: 0, target: target, token: token, user: invocation.text("user") ?? "",
            device: invocation.text("device") ?? "")
    }

    private static func show(_ registered: Registered, _ program: Program) {
        program.console.show(
            Table([.number("INSTANCE"), .number("TOKENS"), .text("CHANGED")]).with([
                [
                    .init("\(registered.instance)"), .init("\(registered.tokens)"),
                    .init(registered.changed ? "yes" : "no"),
                ]
            ]),
            json: [
                "instance": .count(registered.instance), "tokens": .count(registered.tokens),
                "changed": .bool(registered.changed),
            ])
    }
}
