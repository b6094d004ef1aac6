internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon shards`: who owns and keeps what.
enum ShardsCommand {
    static let command = Command(
        "shards", "Show who owns which shards, and where a key lies.",
        details: """
            Without options a summary by node. ACTIVE are owned and served, OPENING are being taken over, CLOSED wait \
            for a new epoch, BEHIND are copies that are not in step. Shards that are stuck, because too few of their \
            copies live, are named with the reason and what to do.
            """,
        options: [
            .text("key", "APP/KIND/NAME", "Show the shard of this key, for example cricket/channel/match/7."),
            .flag("all", "List every shard."),
            .flag("stuck", "List the shards that nobody can serve, and why."),
        ] + Program.askingOptions,
        examples: [
            CommandExample("carillon shards", "Sums up by node."),
            CommandExample("carillon shards --key cricket/channel/match/7", "Shows who serves a channel."),
            CommandExample("carillon shards --stuck", "Lists what nobody can serve."),
            CommandExample("carillon shards --all -o json", "Prints the whole placement."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        var target: Target?
        if let text = invocation.text("key") { target = try key(text) }
        let circle = try NodeCircle(program, invocation)
        defer { circle.close() }
        let answers = circle.ask(.shards(of: target))
        let documents = try answers.documents()
        guard let placement = ShardView(answers, documents) else {
            throw Fault(.malformed, "the nodes of this version do not say where shards lie")
        }
        if target != nil {
            guard let row = placement.key else { throw Fault(.clusterNotMade, "nobody knows where keys lie") }
            program.console.show(placement.table(of: [row]), json: placement.object(row))
        } else if invocation.flag("stuck") {
            guard let stuck = placement.stuck else {
                throw Fault(.shardMoves, "no coordinator has answered, so nobody can say what is stuck")
            }
            program.console.show(StuckShards.table(stuck), json: StuckShards.json(stuck))
        } else if invocation.flag("all") {
            program.console.show(
                placement.table(of: placement.rows), json: .array(placement.rows.map(placement.object)))
        } else {
            program.console.show(placement.summary, json: placement.summaryJSON)
        }
        if let advice = StuckShards.advice(placement.stuck ?? []) { program.console.say(Printable.text(advice)) }
        return .success
    }

    /// Reads `cricket/channel/match/7`; the name may have slashes of its own.
    static func key(_ text: String) throws(Fault) -> Target {
        let parts = text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let kinds = [Key.Kind.channel, .activity]
        guard parts.count == 3, let kind = kinds.first(where: { $0.name == parts[1] }),
            let target = Target(app: parts[0], kind: kind, name: parts[2])
        else {
            throw Fault(.badOptionValue, "write APP/channel/NAME or APP/activity/NAME", at: "--key")
        }
        return target
    }
}
