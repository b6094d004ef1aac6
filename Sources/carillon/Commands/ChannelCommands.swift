internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon channel …`: broadcast channels by name.
enum ChannelCommands {
    private static let app = CommandOption.text("app", "APP", "Section [app.NAME] of the configuration.")
        .variable("CARILLON_APP").required()
    private static let name = CommandArgument("NAME", "Name of the channel, for example match/7.")

    static let create = Command(
        "channel create", "Make a broadcast channel, or find the one of this name.",
        details: "Repeating it gives the same channel: there is one per name.",
        arguments: [name],
        options: [
            app,
            .word(
                "storage", ["none", "newest"],
                "What APNs keeps for offline devices: nothing, or the newest message for up to 8 hours. Fixed for ever."
            ).fallback("newest"),
        ] + Program.askingOptions,
        examples: [
            CommandExample(
                "carillon channel create match/7 --app cricket", "Makes a channel that stores its newest message.")
        ])
    static let list = Command(
        "channel list", "List the channels of an app.", options: [app] + Program.askingOptions,
        examples: [CommandExample("carillon channel list --app cricket -o json", "Prints them for a program.")])
    static let show = Command(
        "channel show", "Show one channel.", arguments: [name], options: [app] + Program.askingOptions,
        examples: [CommandExample("carillon channel show match/7 --app cricket", "Prints its ID and state.")])
    static let delete = Command(
        "channel delete", "Delete a channel at APNs for ever.",
        details: "Its ID never comes back, and devices that follow it hear nothing more: send the end first.",
        arguments: [name],
        options: [app, .flag("yes", "Do it; without, only say what would be done.")] + Program.askingOptions,
        examples: [CommandExample("carillon channel delete match/7 --app cricket --yes", "Deletes a channel.")])

    static func create(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let storage = invocation.text("storage").flatMap(ChannelRequest.Storage.init(rawValue:))
        return try request(.create, storage: storage, program, invocation)
    }

    static func show(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        try request(.show, storage: nil, program, invocation)
    }

    static func delete(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let name = invocation.argument("NAME") ?? ""
        guard invocation.flag("yes") else {
            program.console.say("Would delete channel \(Printable.text(name)) for ever. Add --yes to do it.")
            return .usage
        }
        let status = try request(.delete, storage: nil, program, invocation)
        program.console.say("Deleted \(Printable.text(name)).")
        return status
    }

    static func list(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let app = invocation.text("app") ?? ""
        print(try program.ask(invocation) { client throws(Refusal) in try await client.channels(app: app) }, program)
        return .success
    }

    private static func request(
        _ action: ChannelRequest.Action, storage: ChannelRequest.Storage?, _ program: Program, _ invocation: Invocation
    ) throws(Fault) -> ExitStatus {
        let request = ChannelRequest(
            sequence: 0, action: action, app: invocation.text("app") ?? "", channel: invocation.argument("NAME") ?? "",
            storage: storage)
        let answer = try program.ask(invocation) { client throws(Refusal) in try await client.channel(request) }
        if action != .delete { print(answer.channels, program) }
        return .success
    }

    private static func print(_ channels: [ChannelDescription], _ program: Program) {
        program.console.show(
            Table([.text("NAME"), .text("STATE"), .text("STORAGE"), .text("CHANNEL ID")]).with(
                channels.map {
                    [.init($0.channel), .init($0.state.rawValue), .init($0.storage.rawValue), .init($0.channelID)]
                }),
            json: .array(
                channels.map {
                    [
                        "name": .string($0.channel), "state": .string($0.state.rawValue),
                        "storage": .string($0.storage.rawValue), "channel_id": .string($0.channelID),
                    ]
                }))
    }
}
