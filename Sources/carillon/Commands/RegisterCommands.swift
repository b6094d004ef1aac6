internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon register` and `unregister`: tokens that follow an activity, and tokens of devices.
enum RegisterCommands {
    private static let token = CommandArgument("TOKEN", "The push token, hexadecimal; - reads it from standard input.")
    private static let options: [CommandOption] =
        [
            .text("app", "APP", "Section [app.NAME] of the configuration.").variable("CARILLON_APP").required(),
            .word("kind", Registration.TokenKind.allCases.map(\.rawValue), "Which of APNs' tokens it is.")
                .fallback("update"),
            .text("activity", "NAME", "For an update token: the activity."),
            .integer("instance", 1...Int(UInt32.max), "For an update token: the instance; the newest by default."),
            .text("attributes-type", "NAME", "For a push-to-start token: the ActivityAttributes type that it starts."),
            .text("user", "ID", "Your name for the user.").fallback(""),
            .text("device", "ID", "Your name for the device; start and ordinary tokens need one.").fallback(""),
        ]

    static let register = Command(
        "register", "Add a token: of an activity, which gets its current state at once, or of a device.",
        details: """
            A new token of the same user and device replaces the old one. A token in quarantine leaves it when it is \
            registered again.
            """,
        arguments: [token], options: options + Program.askingOptions,
        examples: [
            CommandExample(
                "carillon register 80c1e4d0 --app cricket --activity order/4711 --device phone-9",
                "Lets a device follow an activity with its update token."),
            CommandExample(
                "carillon register 99aa --kind start --attributes-type Score --app cricket --user u17 --device phone-9",
                "Keeps a device's push-to-start token."),
            CommandExample(
                "carillon register 77bb --kind ordinary --app cricket --user u17 --device phone-9",
                "Keeps the token for ordinary notifications, for a fallback."),
        ])
    static let unregister = Command(
        "unregister", "Take a token off its activity or device.",
        arguments: [token],
        options: options + [
            .word(
                "reason", Registration.Reason.allCases.map(\.rawValue),
                "What the app says of the activity there; a dismissed one is not started on the device again.")
        ] + Program.askingOptions,
        examples: [
            CommandExample("carillon unregister 80c1e4d0 --app cricket --activity order/4711", "Removes a token."),
            CommandExample(
                "carillon unregister 80c1 --app cricket --activity order/4711 --device phone-9 --reason dismissed",
                "Says that the user took the activity off the screen."),
        ])

    static func register(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let registration = try registration(invocation)
        show(try program.ask(invocation) { client throws(Refusal) in try await client.register(registration) }, program)
        return .success
    }

    static func unregister(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        var asked = try registration(invocation)
        asked.reason = invocation.text("reason").flatMap(Registration.Reason.init(rawValue:))
        let registration = asked
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
        let app = invocation.text("app") ?? ""
        let user = invocation.text("user") ?? ""
        let device = invocation.text("device") ?? ""
        let kind = invocation.text("kind").flatMap(Registration.TokenKind.init(rawValue:)) ?? .update
        guard kind == .update || !device.isEmpty else {
            throw Fault(.argumentMissing, "a token of this kind belongs to a device", at: "--device")
        }
        switch kind {
        case .update: break
        case .start:
            guard let type = invocation.text("attributes-type"), !type.isEmpty else {
                throw Fault(.argumentMissing, "a push-to-start token starts one type", at: "--attributes-type")
            }
            return Registration(app: app, startToken: token, attributesType: type, user: user, device: device)
        case .ordinary: return Registration(app: app, ordinaryToken: token, user: user, device: device)
        }
        guard let activity = invocation.text("activity") else {
            throw Fault(.argumentMissing, "an update token follows an activity", at: "--activity")
        }
        let instance = invocation.integer("instance").map { UInt32(clamping: $0) }
        guard
            let target = Target(
                app: app, kind: .activity, name: activity, instance: instance)
        else { throw Fault(.badOptionValue, "app names have 1 to 128 bytes, names 1 to 200") }
        return Registration(
            target: target, token: token, user: user, device: device)
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
