internal import Codes
internal import LiveActivity
internal import Terminal
internal import Wire

/// `carillon trace`: the way of one event over all nodes.
enum TraceCommand {
    static let command = Command(
        "trace", "Show the way of an event: each stage with node and time.",
        details: """
            Asks every node for what it remembers. The memory is bounded and does not survive a restart: old events \
            have no trace; what became of them says `carillon event show`. Ends with 1 when no node knows the event.
            """,
        arguments: [CommandArgument("ID", "The event ID.")],
        options: Program.askingOptions,
        examples: [CommandExample("carillon trace goal-17", "Shows the stages of an event.")])

    static func run(_ program: Program, _ invocation: Invocation) throws(Fault) -> ExitStatus {
        guard let id = EventID(invocation.argument("ID") ?? "") else {
            throw Fault(.badOptionValue, "1 to 64 printable bytes", at: "ID")
        }
        let circle = try NodeCircle(program, invocation)
        defer { circle.close() }
        let answers = circle.ask(.trace(id))
        _ = try answers.documents()
        for answer in answers {
            if case .failure(let fault) = answer.result { program.console.say("\(answer.name): \(fault)") }
        }
        let steps = TraceStep.all(answers)
        program.console.show(TraceStep.table(steps), json: .array(steps.map(\.json)))
        return steps.isEmpty ? .failed : .success
    }
}

/// One stage that an event has passed.
struct TraceStep: Equatable {
    private static let order = ["Ingest", "Route", "Replicate", "Admit", "Dispatch", "Settle"]

    let stage: String
    let node: String
    let atMilliseconds: Int64
    let text: String

    /// The stages of all nodes in order of time; clocks of nodes differ, so at the same time the stage decides.
    static func all(_ answers: [NodeAnswer]) -> [TraceStep] {
        let steps = answers.flatMap { answer -> [TraceStep] in
            let node = answer.document?["node"]?.string ?? answer.name
            return (answer.document?["stages"]?.array ?? []).map { step in
                TraceStep(
                    stage: step["stage"]?.string ?? "", node: node, atMilliseconds: step["at_ms"]?.integer ?? 0,
                    text: step["text"]?.string ?? "")
            }
        }
        return steps.enumerated().sorted { left, right in
            (left.element.atMilliseconds, left.element.rank, left.offset)
                < (right.element.atMilliseconds, right.element.rank, right.offset)
        }.map(\.element)
    }

    private var rank: Int { Self.order.firstIndex(of: stage) ?? Self.order.count }

    static func table(_ steps: [TraceStep]) -> Table {
        var table = Table([.text("TIME"), .number("AFTER"), .text("STAGE"), .text("NODE"), .text("WHAT")])
        let first = steps.first?.atMilliseconds ?? 0
        for step in steps {
            table.append([
                .init(TimeText.utc(milliseconds: step.atMilliseconds)),
                .init("+\(step.atMilliseconds - first) ms"), .init(step.stage), .init(step.node), .init(step.text),
            ])
        }
        return table
    }

    var json: JSONValue {
        ["stage": .string(stage), "node": .string(node), "at_ms": .integer(atMilliseconds), "text": .string(text)]
    }
}
