internal import LiveActivity
internal import Loops
internal import SimulatedCluster
internal import Terminal

/// Runs many seeds on a few threads and adds up what came of them.
struct SimulationBatch {
    /// What the threads share.
    private struct Progress: Sendable {
        var next: UInt64
        var isOver = false
        var reports: [SimulationReport] = []
    }

    /// Violations after which no further seed is begun; one is enough to show that a known fault is found.
    private var violationsMax: Int { options.mutant == nil ? 10 : 1 }

    let seeds: ClosedRange<UInt64>
    let options: SimulationOptions
    let threads: Int
    private(set) var reports: [SimulationReport] = []
    private var milliseconds: Int64 = 0

    init(seeds: ClosedRange<UInt64>, options: SimulationOptions, threads: Int) {
        (self.seeds, self.options, self.threads) = (seeds, options, threads)
    }

    /// In the order of seeds.
    var violations: [Violation] { reports.flatMap(\.violations) }

    mutating func run(showingProgressOn console: Console) {
        let start = Clock.bootMilliseconds()
        let progress = Lock(Progress(next: seeds.lowerBound))
        let line = Lock(ProgressLine("simulate", isTerminal: console.diagnosticsAreTerminal, at: start))
        let workers = (0..<threads).map { LoopThread(name: "simulate-\($0)") }
        let (options, seeds, violationsMax) = (options, seeds, violationsMax)
        for worker in workers {
            worker.start {
                while let seed = Self.take(progress, seeds) {
                    let report = Simulation.run(seed: seed, options: options)
                    let done = Self.note(report, progress, violationsMax)
                    let text = line.withLock {
                        $0.update(done: done, total: seeds.count, at: Clock.bootMilliseconds())
                    }
                    if let text { Descriptor.writeAll(2, text) }
                }
            }
        }
        for worker in workers { worker.join() }
        if let text = line.withLock({ $0.finish() }) { Descriptor.writeAll(2, text) }
        reports = progress.withLock { $0.reports }.sorted { $0.seed < $1.seed }
        milliseconds = Clock.bootMilliseconds() - start
    }

    private static func take(_ progress: Lock<Progress>, _ seeds: ClosedRange<UInt64>) -> UInt64? {
        progress.withLock { state in
            guard !state.isOver, state.next <= seeds.upperBound else { return nil }
            state.isOver = state.next == seeds.upperBound
            defer { state.next += state.isOver ? 0 : 1 }
            return state.next
        }
    }

    private static func note(
        _ report: SimulationReport, _ progress: Lock<Progress>, _ violationsMax: Int
    ) -> Int {
        progress.withLock { state in
            state.reports.append(report)
            if state.reports.count(where: { !$0.violations.isEmpty }) >= violationsMax { state.isOver = true }
            return state.reports.count
        }
    }

    // MARK: Results

    private func sum(_ value: (SimulationReport) -> Int) -> Int { reports.reduce(0) { $0 + value($1) } }

    func show(_ console: Console) {
        console.show(table, json: json)
        if console.format == .json { return }
        for violation in violations {
            let node = violation.node.map { " n\($0 + 1)" } ?? ""
            console.say(
                "\(violation.repetition)  \(violation.invariant.rawValue) at \(violation.atMilliseconds) ms\(node): "
                    + violation.text)
        }
    }

    private var table: Table {
        var table = Table([
            .number("SEEDS"), .number("BROKEN"), .number("ACKS"), .number("SENDS"), .number("FAILOVERS"),
            .number("ELECTIONS"), .number("CRASHES"), .number("DISKS LOST"), .number("CUTS"), .number("EVENTS"),
            .number("VIRTUAL S"), .number("SECONDS"), .text("TRACE"),
        ])
        table.append([
            "\(reports.count)", Table.Cell("\(violations.count)", violations.isEmpty ? nil : .red),
            "\(sum(\.acknowledgements))", "\(sum(\.sends))", "\(sum(\.failovers))", "\(sum(\.elections))",
            "\(sum(\.crashes))", "\(sum(\.disksLost))", "\(sum(\.cuts))", "\(sum(\.events))",
            "\(sum { Int($0.milliseconds / 1000) })", "\(milliseconds / 1000)", "\(fingerprint)",
        ])
        return table
    }

    /// One word for all runs: the same seeds and options give the same.
    private var fingerprint: String {
        let all = reports.reduce(UInt64(0)) { ($0 &* 0x100_0000_01B3) ^ $1.traceHash }
        return String(all, radix: 16)
    }

    private var json: JSONValue {
        .object([
            .init("seeds", .integer(Int64(reports.count))),
            .init("acknowledgements", .integer(Int64(sum(\.acknowledgements)))),
            .init("sends", .integer(Int64(sum(\.sends)))), .init("failovers", .integer(Int64(sum(\.failovers)))),
            .init("elections", .integer(Int64(sum(\.elections)))), .init("crashes", .integer(Int64(sum(\.crashes)))),
            .init("disks_lost", .integer(Int64(sum(\.disksLost)))), .init("cuts", .integer(Int64(sum(\.cuts)))),
            .init("copies_moved", .integer(Int64(sum(\.copiesMoved)))),
            .init("restarts_seen", .integer(Int64(sum(\.restartsSeen)))),
            .init("zones_at_rest", .integer(Int64(sum(\.zonesAtRest)))),
            .init("starts", .integer(Int64(sum(\.starts)))),
            .init("starts_owed", .integer(Int64(sum(\.startsOwed)))),
            .init("shards_recovered", .integer(Int64(sum(\.shardsRecovered)))),
            .init("events", .integer(Int64(sum(\.events)))), .init("milliseconds", .integer(milliseconds)),
            .init("trace", .string(fingerprint)),
            .init(
                "violations",
                .array(
                    violations.map {
                        .object([
                            .init("invariant", .string($0.invariant.rawValue)), .init("seed", .string("\($0.seed)")),
                            .init("at_ms", .integer($0.atMilliseconds)), .init("text", .string($0.text)),
                            .init("repeat", .string($0.repetition)),
                        ])
                    })),
        ])
    }
}
