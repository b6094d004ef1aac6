import CLinux
import Codes
import Loops
import Messaging
import Wire

/// Round trips of pings on the control plane while bulk flows on the data plane in 64 KiB pieces with credit; one
/// thread per node handles both, control first, as the core does. Then what the codec costs.
///
/// `carillon-bench mesh [-o json] [--megabytes N] [--credit N] [--rounds N]`. Goal: p99 below 50 ms with CURVE.
enum MeshBenchmark {
    private static let goalMilliseconds = 50.0

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        let arguments = NodeBench.Arguments(arguments)
        return NodeBench.run { () throws(Fault) in
            let worst = try planes(arguments)
            codec(arguments)
            return worst <= goalMilliseconds ? 0 : 1
        }
    }

    private static func planes(_ arguments: NodeBench.Arguments) throws(Fault) -> Double {
        var table = FigureTable(
            "mesh", ["planes", "I/O threads", "bulk", "pings", "p50 ms", "p99 ms", "max ms", "MB/s", "CPU ms/MB"])
        var worst = 0.0
        let bulk = arguments["megabytes", default: 1024]
        for (encrypts, threads, megabytes) in [
            (true, 1, 0), (true, 1, bulk), (true, 2, bulk), (false, 1, bulk),
        ] as [(Bool, Int32, Int)] {
            let run = try MeshRun(encrypts: encrypts, ioThreads: threads)
            defer { run.end() }
            let cpu = ProcessFigures.cpuMicroseconds(getpid())
            let start = Clock.monotonicNanoseconds()
            let trips = try run.measure(megabytes: megabytes, credit: arguments["credit", default: 16]).sorted()
            let seconds = Double(Clock.monotonicNanoseconds() - start) / 1e9
            let used = ProcessFigures.cpuMicroseconds(getpid()) - cpu
            let p99 = NodeBench.percentile(trips, 0.99) / 1e6
            if encrypts { worst = max(worst, p99) }
            table.add([
                .text(encrypts ? "CURVE" : "plain"), .number(Double(threads)),
                .text(megabytes == 0 ? "none" : "\(megabytes) MB"), .number(Double(trips.count)),
                .number(NodeBench.percentile(trips, 0.5) / 1e6), .number(p99), .number(Double(trips.last ?? 0) / 1e6),
                .number(Double(megabytes) / seconds),
                .number(megabytes == 0 ? 0 : used / 1000 / Double(megabytes)),
            ])
        }
        table.notes = ["both nodes and all their threads on this machine", ProcessFigures.machine]
        table.show(json: arguments.json)
        return worst
    }

    // MARK: Codec

    private static func codec(_ arguments: NodeBench.Arguments) {
        let header = MeshRun.header
        let rows = 100
        let section = { (shard: Int) in
            CopySection(
                shard: UInt16(shard), version: ShardVersion(epoch: 3, count: 9),
                previous: ShardVersion(epoch: 3, count: 8),
                rows: [
                    ShardRow(
                        kind: 1, key: [UInt8](repeating: 1, count: 40), version: ShardVersion(epoch: 3, count: 9),
                        value: [UInt8](repeating: 2, count: 700))
                ])
        }
        let copies = DataMessage.replication(.copies(stream: 1, sections: (0..<rows).map(section)))
        let ping = ControlMessage.membership(.ping(sequence: 1, Gossip(wallMilliseconds: 0)))
        let pingBytes = MeshFrame.encode(ping, header)
        var writer = DataFrameWriter(header)
        _ = writer.append(copies)
        let frame = writer.bytes
        let times = Measure.interleaved(
            rounds: arguments["rounds", default: 9], repetitions: 200,
            [
                {
                    writer.reset(header)
                    _ = writer.append(copies)
                }, { _ = MeshFrame.decodeData(frame) }, { _ = MeshFrame.encode(ping, header) },
                { _ = MeshFrame.decodeControl(pingBytes) },
            ])
        var table = FigureTable("mesh codec", ["message", "bytes", "encode ns", "decode ns"])
        table.add([
            .text("copies, per row"), .number(Double(frame.count / rows)), .number(times[0] / Double(rows)),
            .number(times[1] / Double(rows)),
        ])
        table.add([
            .text("ping"), .number(Double(pingBytes.count)), .number(times[2]), .number(times[3]),
        ])
        table.show(json: arguments.json)
    }
}
