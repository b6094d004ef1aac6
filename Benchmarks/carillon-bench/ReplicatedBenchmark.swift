import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// Acknowledged publishes per second of a cluster of three: an ack means that two of three disks have the event. With
/// 1, 100 and 1000 in flight from one process, with and without CURVE, spread over the nodes (two thirds are handed on)
/// and sent to the owners. 300-byte updates for 100,000 activities without tokens.
///
/// `carillon-bench replicated [-o json] [--rounds N] [--milliseconds N] [--keys N] [--window N] [--curve 0|1]`.
enum ReplicatedBenchmark {
    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in
            try measure(NodeBench.Arguments(arguments))
            return 0
        }
    }

    private static func measure(_ arguments: NodeBench.Arguments) throws(Fault) {
        let keys = arguments["keys", default: 100_000]
        let only = arguments["window", default: 0]
        let windows = only > 0 ? [only] : [1, 100, 1000]
        var table = FigureTable(
            "replicated",
            [
                "variant", "sent to", "in flight", "acks/s", "min", "max", "p50 ms", "p99 ms", "nodes µs/ack",
                "client µs/ack",
            ])
        let curve = arguments["curve", default: -1]
        for insecure in curve < 0 ? [true, false] : [curve == 0] {
            let bench = try ClusterBench(insecure: insecure, keysMax: 2 * keys)
            defer { bench.end() }
            let loads = [try load(bench, keys, toOwners: false), try load(bench, keys, toOwners: true)]
            try loads[1].run(window: 1000, count: 2 * keys, milliseconds: 120_000)
            try measure(bench, loads, windows, arguments, insecure ? "plain" : "CURVE", &table)
            table.notes.append("\(insecure ? "plain" : "CURVE"): \(Int(bench.residentMebibytes)) MiB in three nodes")
        }
        table.notes += [
            "medians of \(arguments["rounds", default: 5]) interleaved rounds; \(keys) keys; W = 2 of 3",
            ProcessFigures.machine,
        ]
        table.show(json: arguments.json)
    }

    private static func load(_ bench: ClusterBench, _ keys: Int, toOwners: Bool) throws(Fault) -> AckLoad {
        let names = bench.cluster.nodes.map(\.name)
        let settings = try names.map { name throws(Fault) in try bench.cluster.clientSettings(nodes: [name]) }
        guard toOwners else { return try AckLoad(settings, keys: keys) }
        let map = bench.map
        return try AckLoad(settings, keys: keys, from: 1_000_000_000_000) {
            names.firstIndex(of: map.owner(of: $0)) ?? 0
        }
    }

    private static func measure(
        _ bench: ClusterBench, _ loads: [AckLoad], _ windows: [Int], _ arguments: NodeBench.Arguments,
        _ variant: String,
        _ table: inout FigureTable
    ) throws(Fault) {
        var samples: [[AckSample]] = Array(repeating: [], count: loads.count * windows.count)
        for _ in 0..<arguments["rounds", default: 5] {
            for (place, window) in windows.enumerated() {
                for (index, load) in loads.enumerated() {
                    let sample = try run(bench, load, window, Int64(arguments["milliseconds", default: 2000]))
                    samples[place * loads.count + index].append(sample)
                }
            }
        }
        for (index, runs) in samples.enumerated() {
            let rates = runs.map(\.perSecond)
            func median(_ value: (AckSample) -> Double) -> FigureTable.Value {
                .number(Measure.median(runs.map(value)))
            }
            table.add([
                .text(variant), .text(index % loads.count == 0 ? "any node" : "the owner"),
                .number(Double(windows[index / loads.count])), median(\.perSecond), .number(rates.min() ?? 0),
                .number(rates.max() ?? 0), median(\.p50), median(\.p99), median(\.nodeCPU), median(\.clientCPU),
            ])
        }
    }

    private static func run(
        _ bench: ClusterBench, _ load: AckLoad, _ window: Int, _ milliseconds: Int64
    ) throws(Fault) -> AckSample {
        let cpu = bench.cpuMicroseconds
        let own = ProcessFigures.cpuMicroseconds(getpid())
        let start = Clock.monotonicNanoseconds()
        try load.run(window: window, count: .max, milliseconds: milliseconds)
        let nanoseconds = Clock.monotonicNanoseconds() - start
        let latencies = load.latencies.sorted()
        let count = Double(max(1, latencies.count))
        return AckSample(
            perSecond: count * 1e9 / Double(nanoseconds), p50: NodeBench.percentile(latencies, 0.5) / 1e6,
            p99: NodeBench.percentile(latencies, 0.99) / 1e6, nodeCPU: (bench.cpuMicroseconds - cpu) / count,
            clientCPU: (ProcessFigures.cpuMicroseconds(getpid()) - own) / count)
    }
}
