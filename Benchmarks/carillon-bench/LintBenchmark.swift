import LiveActivity

/// Microseconds of `PayloadLinter` for payloads of 1 KB and 4 KB, with and without the app's types, and of
/// `PayloadInspector` alone, which holds the rules that need neither.
///
/// `carillon-bench lint [rounds]`. Goal: at 4 KB the types at most treble the time.
enum LintBenchmark {
    private static let now: Int64 = 1_790_000_000

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        let rounds = max(arguments.first.flatMap { Int($0) } ?? 15, 9)
        print("payload   bytes  inspect µs  lint µs     +types µs   refused µs  ratio")
        var worst = 0.0
        for size in [1_000, 4_000] { worst = max(worst, measure(size, rounds)) }
        print("worst ratio of lint with types to without: \(Measure.decimals(worst)) (goal: at most 3.00)")
        return worst <= 3 ? 0 : 1
    }

    private static func measure(_ size: Int, _ rounds: Int) -> Double {
        let payload = payload(size, phase: "live")
        let refused = self.payload(size, phase: "Live")
        let inspector = PayloadInspector()
        let plain = PayloadLinter(inspector: inspector)
        let typed = PayloadLinter(inspector: inspector, schemas: SchemaSet([schema]))
        var failures = 0
        func lint(_ linter: PayloadLinter, _ payload: [UInt8], accepts: Bool) {
            let report = linter.lint(payload.span, as: .broadcast, nowMilliseconds: now * 1000)
            if (report.layout != nil) != accepts { failures += 1 }
        }
        let times = Measure.interleaved(
            rounds: rounds, repetitions: 2_000,
            [
                {
                    let report = inspector.inspect(payload.span, as: .broadcast, nowMilliseconds: now * 1000)
                    if report.layout == nil { failures += 1 }
                },
                { lint(plain, payload, accepts: true) }, { lint(typed, payload, accepts: true) },
                { lint(typed, refused, accepts: false) },
            ])
        precondition(failures == 0, "a subject decided wrongly")
        let ratio = times[2] / times[1]
        let figures = times.map { Measure.column(Measure.decimals($0 / 1000), 12) }.joined()
        print(
            Measure.column("\(size / 1000) KB", 10) + Measure.column("\(payload.count)", 7) + figures
                + Measure.decimals(ratio))
        return ratio
    }

    /// A match: dates, an enum, players as an array of structs.
    private static let schema = ActivitySchema(
        name: "MatchAttributes",
        contentState: [
            Shape.Property("home", .integer(.int)), Shape.Property("kickOff", .date),
            Shape.Property("phase", .enumeration(["before", "live", "done"])),
            Shape.Property("note", .optional(.string)),
            Shape.Property(
                "players",
                .array(
                    .structure([
                        Shape.Property("name", .string), Shape.Property("runs", .integer(.int)),
                        Shape.Property("rate", .double), Shape.Property("out", .boolean),
                    ]))),
        ])

    private static func payload(_ size: Int, phase: String) -> [UInt8] {
        let head =
            #"{"aps":{"timestamp":\#(now),"event":"update","stale-date":\#(now + 600),"content-state":{"#
            + #""home":3,"kickOff":811692800,"phase":"\#(phase)","note":null,"players":["#
        let tail = #"]},"alert":{"title":"Wicket","body":"Caught behind","sound":"default"}}}"#
        var players: [String] = []
        var bytes = head.utf8.count + tail.utf8.count
        while true {
            let number = players.count
            let next = #"{"name":"R. Sharma \#(number)","runs":\#(number * 7),"rate":\#(number).25,"out":false}"#
            bytes += next.utf8.count + 1
            if bytes > size { break }
            players.append(next)
        }
        return Array((head + players.joined(separator: ",") + tail).utf8)
    }
}
