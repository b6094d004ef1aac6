import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// Durable acknowledged publishes per second and their latency, with 1, 100 and 1000 in flight from one process, with
/// and without CURVE. 300-byte updates for 10,000 activities without tokens, so that nothing is sent to APNs.
///
/// `carillon-bench acks [-o json] [--rounds N] [--milliseconds N] [--keys N]`.
enum AcksBenchmark {
    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in
            try measure(NodeBench.Arguments(arguments))
            return 0
        }
    }

    /// One way to connect, with its node.
    private struct Variant {
        let name: String
        let cluster: LocalCluster
        let process: Int32
        let load: AckLoad
    }

    private static func measure(_ arguments: NodeBench.Arguments) throws(Fault) {
        let keys = arguments["keys", default: 10_000]
        let only = arguments["window", default: 0]
        let windows = only > 0 ? [only] : [1, 100, 1000]
        let variants = [try variant("plain", insecure: true, keys), try variant("CURVE", insecure: false, keys)]
        defer {
            for variant in variants {
                variant.cluster.stop()
                variant.cluster.remove()
            }
        }
        var samples: [[AckSample]] = Array(repeating: [], count: windows.count * variants.count)
        for _ in 0..<arguments["rounds", default: 5] {
            for (index, window) in windows.enumerated() {
                for (place, variant) in variants.enumerated() {
                    let sample = try run(variant, window, milliseconds: Int64(arguments["milliseconds", default: 2000]))
                    samples[index * variants.count + place].append(sample)
                }
            }
        }
        var table = FigureTable(
            "acks",
            ["variant", "in flight", "acks/s", "min", "max", "p50 ms", "p99 ms", "node µs/ack", "client µs/ack"])
        for (index, runs) in samples.enumerated() {
            let rates = runs.map(\.perSecond)
            table.add([
                .text(variants[index % variants.count].name), .number(Double(windows[index / variants.count])),
                .number(Measure.median(rates)), .number(rates.min() ?? 0), .number(rates.max() ?? 0),
                .number(Measure.median(runs.map(\.p50))), .number(Measure.median(runs.map(\.p99))),
                .number(Measure.median(runs.map(\.nodeCPU))), .number(Measure.median(runs.map(\.clientCPU))),
            ])
        }
        table.notes = ["medians of \(samples[0].count) interleaved rounds; \(keys) keys", ProcessFigures.machine]
        table.show(json: arguments.json)
    }

    private static func variant(_ name: String, insecure: Bool, _ keys: Int) throws(Fault) -> Variant {
        let cluster = try NodeBench.cluster(insecure: insecure)
        _ = try cluster.startSimulator()
        try cluster.startNode()
        let load = try AckLoad([try cluster.clientSettings()], keys: keys)
        // Every key exists and everything is warm.
        try load.run(window: 1000, count: 2 * keys, milliseconds: 20_000)
        return Variant(name: name, cluster: cluster, process: cluster.nodeProcess ?? 0, load: load)
    }

    private static func run(_ variant: Variant, _ window: Int, milliseconds: Int64) throws(Fault) -> AckSample {
        let cpu = ProcessFigures.cpuMicroseconds(variant.process)
        let own = ProcessFigures.cpuMicroseconds(getpid())
        let start = Clock.monotonicNanoseconds()
        try variant.load.run(window: window, count: .max, milliseconds: milliseconds)
        let nanoseconds = Clock.monotonicNanoseconds() - start
        let latencies = variant.load.latencies.sorted()
        let count = Double(max(1, latencies.count))
        return AckSample(
            perSecond: count * 1e9 / Double(nanoseconds), p50: NodeBench.percentile(latencies, 0.5) / 1e6,
            p99: NodeBench.percentile(latencies, 0.99) / 1e6,
            nodeCPU: (ProcessFigures.cpuMicroseconds(variant.process) - cpu) / count,
            clientCPU: (ProcessFigures.cpuMicroseconds(getpid()) - own) / count)
    }
}
