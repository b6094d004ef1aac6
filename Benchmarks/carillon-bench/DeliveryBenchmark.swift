import APNsSimulator
import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// From an event's due time to the producer's receipt that APNs answered 200, open loop over 2,000 channels, with a
/// simulator that answers after 50 ms; and what the node needs for it.
///
/// `carillon-bench delivery [-o json] [--rounds N] [--seconds N] [--channels N]`. Events that a newer one of the same
/// channel replaced before its turn have no latency: their share is said. The second variant lets every channel send
/// ten times a second, so that all events reach APNs and the pipeline alone is seen.
enum DeliveryBenchmark {
    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in
            try measure(NodeBench.Arguments(arguments))
            return 0
        }
    }

    /// A node with its channels.
    private struct Variant {
        let name: String
        let cluster: LocalCluster
        let load: DeliveryLoad
        let idle: Double
        let rates: [Int]

        var process: Int32 { cluster.nodeProcess ?? 0 }
    }

    private struct Sample {
        var rate = 0
        var outcome = DeliveryLoad.Outcome()
        var nodeCPU = 0.0
        var simulatorCPU = 0.0
        var resident = 0.0
    }

    private static func measure(_ arguments: NodeBench.Arguments) throws(Fault) {
        let channels = arguments["channels", default: 2000]
        let rounds = arguments["rounds", default: 3]
        let seconds = arguments["seconds", default: 10]
        let variants = [
            try variant("1 per key and second", interval: 1000, channels, rates: [1000, 10_000]),
            try variant("10 per key and second", interval: 100, channels, rates: [1000, 10_000]),
        ]
        defer {
            for variant in variants {
                variant.cluster.stop()
                variant.cluster.remove()
            }
        }
        var samples = variants.map { variant in variant.rates.map { _ in [Sample]() } }
        for _ in 0..<rounds {
            for (index, variant) in variants.enumerated() {
                for (place, rate) in variant.rates.enumerated() {
                    samples[index][place].append(try run(variant, rate, seconds))
                }
            }
        }
        show(variants, samples, channels: channels, seconds: seconds, json: arguments.json)
    }

    private static func variant(
        _ name: String, interval: Int, _ channels: Int, rates: [Int]
    ) throws(Fault) -> Variant {
        let cluster = try NodeBench.cluster([
            "CARILLON_DELIVERY_KEY_INTERVAL_MS": "\(interval)", "CARILLON_SIMULATOR_ANSWER_DELAY_MS": "50",
        ])
        let control = try cluster.startSimulator()
        // Channels are made one after the other: without the delay.
        try control.setFaults([.delayMilliseconds(0)])
        try cluster.startNode()
        let load = try DeliveryLoad(
            try cluster.clientSettings(), admin: try cluster.clientSettings(admin: true), channels: channels)
        try control.setFaults([.delayMilliseconds(50)])
        let idle = ProcessFigures.mebibytes(cluster.nodeProcess ?? 0, "VmRSS")
        _ = try load.run(perSecond: 1000, seconds: 2)
        return Variant(name: name, cluster: cluster, load: load, idle: idle, rates: rates)
    }

    private static func run(_ variant: Variant, _ rate: Int, _ seconds: Int) throws(Fault) -> Sample {
        let simulator = variant.cluster.simulatorProcess ?? 0
        let node = ProcessFigures.cpuMicroseconds(variant.process)
        let theirs = ProcessFigures.cpuMicroseconds(simulator)
        let outcome = try variant.load.run(perSecond: rate, seconds: seconds)
        let count = Double(max(1, outcome.published))
        return Sample(
            rate: rate, outcome: outcome, nodeCPU: (ProcessFigures.cpuMicroseconds(variant.process) - node) / count,
            simulatorCPU: (ProcessFigures.cpuMicroseconds(simulator) - theirs) / count,
            resident: ProcessFigures.mebibytes(variant.process, "VmRSS"))
    }

    private static func show(
        _ variants: [Variant], _ samples: [[[Sample]]], channels: Int, seconds: Int, json: Bool
    ) {
        var table = FigureTable(
            "delivery",
            [
                "variant", "events/s", "reached %", "conflated %", "p50 ms", "p99 ms", "ack p50 ms", "ack p99 ms",
                "node µs/event",
                "simulator µs/event", "idle MiB", "load MiB", "peak MiB",
            ])
        for (variant, rates) in zip(variants, samples) {
            for runs in rates {
                func median(_ value: (Sample) -> Double) -> Double { Measure.median(runs.map(value)) }
                table.add([
                    .text(variant.name), .number(Double(runs.first?.rate ?? 0)),
                    .number(median { $0.outcome.share(of: $0.outcome.deliveries.count) }),
                    .number(median { $0.outcome.share(of: $0.outcome.superseded) }),
                    .number(median { NodeBench.percentile($0.outcome.deliveries, 0.5) / 1e6 }),
                    .number(median { NodeBench.percentile($0.outcome.deliveries, 0.99) / 1e6 }),
                    .number(median { NodeBench.percentile($0.outcome.acks, 0.5) / 1e6 }),
                    .number(median { NodeBench.percentile($0.outcome.acks, 0.99) / 1e6 }),
                    .number(median(\.nodeCPU)), .number(median(\.simulatorCPU)), .number(variant.idle),
                    .number(median(\.resident)), .number(ProcessFigures.mebibytes(variant.process, "VmHWM")),
                ])
            }
        }
        let other = samples.joined().joined().map(\.outcome.others).reduce(0, +)
        table.notes = [
            "medians of \(samples[0][0].count) interleaved rounds of \(seconds) s",
            "\(channels) channels, CURVE, answers after 50 ms",
            "events with another outcome or none: \(other)", ProcessFigures.machine,
        ]
        table.show(json: json)
    }
}
