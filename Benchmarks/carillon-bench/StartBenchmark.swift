import CLinux
import CarillonClient
import Codes
import LocalCluster
import Loops
import Wire

/// How long a node takes from the start of its process until it has delivered an event, and until it has read 100,000
/// keys.
///
/// `carillon-bench start [-o json] [--rounds N] [--keys N]`. The simulator answers at once; the producer connects while
/// the node starts, so its own pauses between attempts are in the figures.
enum StartBenchmark {
    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in
            try measure(NodeBench.Arguments(arguments))
            return 0
        }
    }

    private struct Sample {
        var answer = 0.0
        var ack = 0.0
        var delivery = 0.0
        /// What the node says that reading its disk took.
        var recovery = 0.0
        var resident = 0.0
    }

    private static func measure(_ arguments: NodeBench.Arguments) throws(Fault) {
        let keys = arguments["keys", default: 100_000]
        let cluster = try NodeBench.cluster(["CARILLON_SIMULATOR_ANSWER_DELAY_MS": "0"])
        defer {
            cluster.stop()
            cluster.remove()
        }
        _ = try cluster.startSimulator()
        try cluster.startNode()
        _ = try DeliveryLoad(try cluster.clientSettings(), admin: try cluster.clientSettings(admin: true), channels: 1)
        var small: [Sample] = []
        var large: [Sample] = []
        for round in 0..<arguments["rounds", default: 5] { small.append(try start(cluster, round)) }
        let load = try AckLoad([try cluster.clientSettings()], keys: keys)
        try load.run(window: 1000, count: keys + 1, milliseconds: 120_000)
        for round in 0..<arguments["rounds", default: 5] { large.append(try start(cluster, 1000 + round)) }
        var table = FigureTable(
            "start",
            ["keys on disk", "first answer ms", "first ack ms", "first delivery ms", "recovery ms", "resident MiB"])
        for (count, samples) in [(1, small), (keys + 1, large)] {
            func median(_ value: (Sample) -> Double) -> Value { .number(Measure.median(samples.map(value))) }
            table.add([
                .number(Double(count)), median(\.answer), median(\.ack), median(\.delivery), median(\.recovery),
                median(\.resident),
            ])
        }
        table.notes = ["medians of \(small.count) starts after kill -9, with CURVE", ProcessFigures.machine]
        table.show(json: arguments.json)
    }

    private typealias Value = FigureTable.Value

    private static func start(_ cluster: LocalCluster, _ number: Int) throws(Fault) -> Sample {
        cluster.killNode()
        let start = Clock.monotonicNanoseconds()
        func elapsed() -> Double { Double(Clock.monotonicNanoseconds() - start) / 1e6 }
        var sample = Sample()
        try cluster.startNode()
        let producer = try CarillonProducer(try cluster.clientSettings())
        _ = try NodeBench.wait { () async throws(Refusal) in try await producer.ping() }
        sample.answer = elapsed()
        guard let target = Target(app: LocalCluster.app, kind: .channel, name: "match/0") else {
            preconditionFailure("a well-formed name")
        }
        let id = NodeBench.identifier(1_000_000_000 + number)
        let event = Publish(target: target, id: id, payload: NodeBench.payload(number), receipts: true)
        _ = try NodeBench.wait { () async throws(Refusal) in try await producer.publish(event) }
        sample.ack = elapsed()
        try NodeBench.wait { () async throws(Refusal) in
            for await batch in producer.receipts {
                for report in batch where report.id == id && report.outcome == .apnsAccepted { return }
            }
        }
        sample.delivery = elapsed()
        sample.recovery = recovery(ProcessFigures.read(cluster.nodeLog))
        sample.resident = ProcessFigures.mebibytes(cluster.nodeProcess ?? 0, "VmRSS")
        return sample
    }

    /// `duration_ms` of the last line that has one.
    private static func recovery(_ log: String) -> Double {
        let name = "\"duration_ms\":"
        for line in log.split(separator: "\n").reversed() {
            guard let place = line.firstRange(of: name) else { continue }
            return Double(line[place.upperBound...].prefix { $0.isNumber }) ?? 0
        }
        return 0
    }
}
