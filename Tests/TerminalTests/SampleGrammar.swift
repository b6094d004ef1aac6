import Codes
import Terminal

/// A small grammar with one of everything.
let sample = Grammar(
    program: "bell", summary: "Rings bells.",
    examples: [CommandExample("bell channel create cricket match/1", "Make a channel.")],
    globals: [
        .path("config", "FILE", "The configuration.").short("c").variable("CARILLON_CONFIG").fallback("cluster.toml"),
        OutputFormat.option, .flag("no-color", "Use no colour.").variable("CARILLON_NO_COLOR"),
    ],
    commands: [
        Command(
            "channel create", "Create a channel by name, or find it when it exists.",
            details: "Asking twice gives the same channel.\n\nThe name is ours and stable.",
            arguments: [CommandArgument("APP", "The app."), CommandArgument("NAME", "The name of the event.")],
            options: [
                .word("storage", ["none", "latest"], "What APNs keeps for devices that are offline.").fallback(
                    "latest"),
                .duration("timeout", "How long to wait for an answer.").fallback("5s"),
            ],
            examples: [CommandExample("bell channel create cricket match/1 --storage none", "Keep nothing.")]),
        Command(
            "channel list", "List channels.", arguments: [CommandArgument("APP", "Only this app.", optional: true)],
            options: [.integer("limit", 1...100, "How many.").short("n").variable("CARILLON_LIMIT")],
            examples: [CommandExample("bell channel list -o json | jq .", "All of them.")]),
        Command(
            "publish", "Publish events.",
            arguments: [CommandArgument("FILE", "Payloads; - is standard input.", repeated: true, path: true)],
            options: [
                .text("app", "APP", "The app.").required(), .text("tag", "WORD", "A word.").repeatable(),
                .flag("important", "Keep its place.").short("i"), .flag("quiet", "Say nothing.").short("q"),
            ],
            examples: [CommandExample("bell publish --app cricket 'my goal.json' -i", "One event.")]),
    ])

/// The invocation, or the fault as an error.
func invoke(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Invocation {
    guard case .run(let invocation) = try sample.parse(arguments, environment: environment).get() else {
        throw Fault(.noSuchCommand, "not a command")
    }
    return invocation
}

/// What is wrong with the arguments; nil when nothing is.
func fault(_ arguments: [String], _ environment: [String: String] = [:]) -> Fault? {
    guard case .failure(let fault) = sample.parse(arguments, environment: environment) else { return nil }
    return fault
}
