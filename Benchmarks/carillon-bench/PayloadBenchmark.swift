import CBaseline
import LiveActivity

/// Scanner, rules and splice against rapidjson's SAX reader on the same payloads (goal: at most 1.2 times its time at 4
/// KB).
enum PayloadBenchmark {
    private static let now: Int64 = 1_790_000_000

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        let rounds = arguments.first.flatMap { Int($0) } ?? 15
        print("payload             bytes  rapidjson µs  inspect µs  +splice µs  ratio")
        var worst = 0.0
        for sample in samples where arguments.count < 2 || sample.name == arguments[1] {
            let ratio = measure(sample.name, sample.bytes, rounds: max(rounds, 9))
            if sample.bytes.count > 3_500 { worst = max(worst, ratio) }
        }
        print("worst ratio at 4 KB: \(Measure.decimals(worst)) (goal: at most 1.20)")
        return worst <= 1.2 ? 0 : 1
    }

    private static func measure(_ name: String, _ payload: [UInt8], rounds: Int) -> Double {
        let inspector = PayloadInspector()
        var output: [UInt8] = []
        var failures = 0
        let times = Measure.interleaved(
            rounds: rounds, repetitions: 2_000,
            [
                { if crl_rapidjson_validate(payload, payload.count) != 1 { failures += 1 } },
                {
                    let report = inspector.inspect(payload.span, as: .device, nowMilliseconds: now * 1000)
                    if report.layout == nil { failures += 1 }
                },
                {
                    let report = inspector.inspect(payload.span, as: .device, nowMilliseconds: now * 1000)
                    output.removeAll(keepingCapacity: true)
                    let done = report.layout?.render(payload.span, stampSeconds: now, quiet: false, into: &output)
                    if done != true { failures += 1 }
                },
            ])
        precondition(failures == 0, "\(name): a subject refused the payload")
        let ratio = times[2] / times[0]
        let figures = times.map { Measure.column(Measure.decimals($0 / 1000), 12) }.joined()
        print(Measure.column(name, 20) + Measure.column("\(payload.count)", 7) + figures + Measure.decimals(ratio))
        return ratio
    }

    /// Payloads of 1 KB and 4 KB: words and numbers as a match has them, one long text, text of many scripts, many
    /// escapes.
    private static var samples: [(name: String, bytes: [UInt8])] {
        var samples: [(String, [UInt8])] = []
        for size in [1_000, 4_000] {
            samples.append(
                ("match", payload(size) { #""player\#($0)":{"runs":\#($0 * 7),"out":false,"name":"R. Sharma"}"# }))
            samples.append(("numbers", payload(size) { #""k\#($0)":[\#($0),\#($0 * 31).25,-1e3,true,null]"# }))
            samples.append(
                ("text", payload(size) { #""t\#($0)":"The quick brown fox jumps over the lazy dog, ball by ball""# }))
            samples.append(("many scripts", payload(size) { #""x\#($0)":"Đội chủ nhà dâng cao ⚽️🔥 — 終盤 攻勢 — 공격""# }))
            samples.append(
                ("escapes", payload(size) { #""e\#($0)":"a\/b\n\"c\" \u00e9\ud83c\udf89 path\/to\/image.png""# }))
        }
        return samples
    }

    private static func payload(_ size: Int, _ member: (Int) -> String) -> [UInt8] {
        let head = #"{"aps":{"timestamp":\#(now),"event":"update","stale-date":\#(now + 600),"content-state":{"#
        let tail = #"},"alert":{"title":"Wicket","body":"Caught behind","sound":"default"}}}"#
        var members: [String] = []
        var bytes = head.utf8.count + tail.utf8.count
        while true {
            let next = member(members.count)
            bytes += next.utf8.count + 1
            if bytes > size { break }
            members.append(next)
        }
        return Array((head + members.joined(separator: ",") + tail).utf8)
    }
}
