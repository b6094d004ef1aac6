internal import CarillonClient
internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon shard recover`: accepts that copies which do not come back are lost.
enum ShardRecoverCommand {
    static let command = Command(
        "shard recover", "Serve a stuck shard again with the copies that are left.",
        details: """
            A shard of which too few copies live waits, because nobody can know what the others had. When their data \
            is gone for ever, this accepts the loss: the best copy that is left becomes the shard, or nothing when \
            none is. Acknowledged events may be lost, and a node that comes back later after all drops its copy. \
            Without --accept-loss it only says what may be lost. Shards that are not stuck are left alone.
            """,
        arguments: [CommandArgument("SHARD", "Number of the shard, 0 to 4096; see carillon shards.", optional: true)],
        options: [
            .flag("all", "Every shard that is stuck."),
            .flag("accept-loss", "Do it; without, only say what may be lost."),
        ] + Program.askingOptions,
        examples: [
            CommandExample("carillon shard recover 17", "Says what may be lost."),
            CommandExample("carillon shard recover 17 --accept-loss", "Serves the shard with what is left of it."),
            CommandExample("carillon shard recover --all --accept-loss", "Does so with every shard that is stuck."),
        ])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        let shard = try shard(invocation)
        guard invocation.flag("accept-loss") else { return try explain(shard, program, invocation) }
        let bytes = try program.ask(invocation) { client throws(Refusal) in try await client.acceptLoss(ofShard: shard)
        }
        let document = try NodeAnswer.read(bytes).get()
        let accepted = StuckShards.all(document["accepted"])
        program.console.show(StuckShards.table(accepted), json: StuckShards.json(accepted))
        guard !accepted.isEmpty else {
            program.console.say(nothingToDo(shard))
            return .success
        }
        let count = accepted.reduce(0) { $0 + $1.shards.count }
        let number = count == 1 ? "The shard is" : "\(count) shards are"
        program.console.say(
            "The loss is accepted. \(number) taken over with what is left; see how far that is with: carillon shards")
        return .success
    }

    /// Says what would be lost; that is not the doing that was asked for, so it ends like a command that was not
    /// written to the end.
    private static func explain(
        _ shard: UInt16?, _ program: Program, _ invocation: Invocation
    ) throws(Fault) -> ExitStatus {
        let circle = try NodeCircle(program, invocation)
        defer { circle.close() }
        let answers = circle.ask(.shards(of: nil))
        let documents = try answers.documents()
        guard let all = ShardView(answers, documents)?.stuck else {
            throw Fault(.shardMoves, "no coordinator has answered, so nobody can say what is stuck")
        }
        let stuck = shard.map { shard in all.compactMap { $0.only(Int64(shard)) } } ?? all
        program.console.show(StuckShards.table(stuck), json: StuckShards.json(stuck))
        guard !stuck.isEmpty else {
            program.console.say(nothingToDo(shard))
            return .success
        }
        for group in stuck { program.console.say(Printable.text("Lost may be: \(group.loss).")) }
        program.console.say("Add --accept-loss to serve them again without the missing copies.")
        return .usage
    }

    private static func nothingToDo(_ shard: UInt16?) -> String {
        shard.map { "Shard \($0) is not stuck: there is nothing to accept." } ?? "No shard is stuck."
    }

    private static func shard(_ invocation: Invocation) throws(Fault) -> UInt16? {
        switch (invocation.argument("SHARD"), invocation.flag("all")) {
        case (nil, true): return nil
        case (let text?, false):
            guard let shard = UInt16(text), shard <= Shard.registry else {
                throw Fault(.badOptionValue, "a number from 0 to \(Shard.registry)", at: "SHARD")
            }
            return shard
        default: throw Fault(.argumentMissing, "name one shard, or all that are stuck with --all", at: "SHARD")
        }
    }
}
