import CLinux
import Cluster
import Codes
import LocalCluster
import Loops
import Wire

/// How long pings of the membership take among three real nodes with CURVE, from sending one to its answer processed,
/// while a node gets a gigabyte of copies anew and while flushes take 200 ms longer. Goal: p99 at most 50 ms.
///
/// `carillon-bench latency [-o json] [--keys N] [--rounds N] [--seconds N] [--rate N] [--delay N] [--bulk 0|1]
/// [--flush 0|1]`. Catch-up: `keys` records of 3.6 KB; each round a node is ended, loses its disk and comes back.
/// Slow flushes: `rate` events a second, `seconds` each with nothing slow, the coordinator, another node, all three.
///
/// Nodes ping twice a second each, and measure it themselves: `carillon_cluster_ping_seconds` of `carillon metrics`.
enum LatencyBenchmark {
    private static let goalMilliseconds = 50.0
    /// Length of a payload's note that brings a payload to 3.6 KB.
    private static let noteBytes = 3_300
    /// So much is received when copies have begun to flow.
    private static let flowBytes: Int64 = 1_000_000
    private static let lookMilliseconds: Int32 = 1000
    private static let limitMilliseconds: Int64 = 600_000

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        let arguments = NodeBench.Arguments(arguments)
        return NodeBench.run { () throws(Fault) in
            var table = LatencyTable()
            defer { table.show(json: arguments.json) }
            if arguments["bulk", default: 1] == 1 { try bulk(arguments, &table) }
            if arguments["flush", default: 1] == 1 { try flush(arguments, &table) }
            return table.worstMilliseconds <= goalMilliseconds ? 0 : 1
        }
    }

    // MARK: Catch-up

    private static func bulk(_ arguments: NodeBench.Arguments, _ table: inout LatencyTable) throws(Fault) {
        let keys = arguments["keys", default: 300_000]
        let bench = try ClusterBench(insecure: false, keysMax: keys + 10_000)
        defer { bench.end() }
        let names = bench.cluster.nodes.map(\.name)
        var row = LatencyTable.Row("filling with \(keys) records")
        try measure(bench, names, &row) { () throws(Fault) in try fill(bench, names, keys) }
        row.acksPerSecond = Double(keys) / row.seconds
        table.add(row)
        row = LatencyTable.Row("nothing else")
        try measure(bench, names, &row) { poll(nil, 0, Int32(arguments["seconds", default: 60]) * 1000) }
        table.add(row)
        var copying = LatencyTable.Row("a node gets all copies")
        var moving = LatencyTable.Row("it gets its shards")
        let rounds = arguments["rounds", default: 6]
        for round in 0..<rounds { try catchUp(bench, names, round, &copying, &moving) }
        copying.megabytesPerSecond = Double(copying.pings.dataBytes) / 1e6 / copying.seconds
        copying.note = "\(rounds) times, \(copying.pings.dataBytes / 1_000_000) MB received in all"
        table.add(copying)
        table.add(moving)
        table.notes.append("\(Int(bench.residentMebibytes)) MiB in three nodes with \(keys) records")
    }

    /// Publishes each key once, to its owner.
    private static func fill(_ bench: ClusterBench, _ names: [String], _ keys: Int) throws(Fault) {
        let settings = try names.map { name throws(Fault) in try bench.cluster.clientSettings(nodes: [name]) }
        let map = bench.map
        let load = try AckLoad(settings, keys: keys, noteBytes: noteBytes) { target in
            names.firstIndex(of: map.owner(of: target)) ?? 0
        }
        try load.run(window: 256, count: keys, milliseconds: limitMilliseconds)
    }

    /// A node loses its disk and gets all copies again, then shards to serve.
    private static func catchUp(
        _ bench: ClusterBench, _ names: [String], _ round: Int, _ copying: inout LatencyTable.Row,
        _ moving: inout LatencyTable.Row
    ) throws(Fault) {
        let victim = names[round % names.count]
        bench.cluster.endNode(victim)
        try waitUntil("the others serve all shards") { () throws(Fault) in
            let others = names.filter { $0 != victim }
            let active = try others.map { name throws(Fault) in try bench.shards(of: name).active }
            return active.reduce(0, +) == Placement.entryCount
        }
        bench.cluster.wipeNode(victim)
        try bench.cluster.startNode(victim)
        try waitUntil("copies flow to \(victim)") { () throws(Fault) in
            try bench.pings(of: victim).dataBytes >= flowBytes
        }
        try measure(bench, names, &copying) { () throws(Fault) in
            try waitUntil("\(victim) has all copies") { () throws(Fault) in
                let shards = try bench.shards(of: victim)
                return shards.active + shards.copies == Placement.entryCount
            }
        }
        try measure(bench, names, &moving) { () throws(Fault) in
            try bench.waitUntilHealthy(every: lookMilliseconds)
        }
    }

    /// Adds to a row what happens meanwhile.
    private static func measure(
        _ bench: ClusterBench, _ names: [String], _ row: inout LatencyTable.Row, _ body: () throws(Fault) -> Void
    ) throws(Fault) {
        let before = try figures(bench, names)
        let start = Clock.bootMilliseconds()
        try body()
        row.seconds += Double(Clock.bootMilliseconds() - start) / 1000
        row.pings.add(try figures(bench, names).since(before))
    }

    // MARK: Slow flushes

    private static func flush(_ arguments: NodeBench.Arguments, _ table: inout LatencyTable) throws(Fault) {
        let keys = 10_000
        let disks = try SlowFlush(["n1", "n2", "n3"])
        let bench = try ClusterBench(insecure: false, keysMax: keys, places: disks.places)
        defer { bench.end() }
        let names = bench.cluster.nodes.map(\.name)
        let settings = try names.map { name throws(Fault) in try bench.cluster.clientSettings(nodes: [name]) }
        let load = try SteadyLoad(settings, keys: keys, from: 1_000_000_000_000)
        let delay = arguments["delay", default: 200]
        let coordinator = try bench.coordinator() ?? names[0]
        let other = names.first { $0 != coordinator } ?? names[0]
        for (what, slowed) in [
            ("no disk slowed", []), ("\(delay) ms: coordinator", [coordinator]), ("\(delay) ms: another", [other]),
            ("\(delay) ms: all three", names),
        ] as [(String, [String])] {
            disks.slow(slowed, milliseconds: delay)
            _ = load.takeFigures()
            var row = LatencyTable.Row(what)
            try measure(bench, names, &row) {
                load.run(
                    perSecond: arguments["rate", default: 1000],
                    milliseconds: Int64(arguments["seconds", default: 60]) * 1000)
            }
            let acks = load.takeFigures()
            row.acksPerSecond = Double(acks.latencies.count) / row.seconds
            row.ackMilliseconds = NodeBench.percentile(acks.latencies, 0.5) / 1e6
            if acks.refused > 0 { row.note = "\(acks.refused) events refused" }
            table.add(row)
        }
        disks.slow([], milliseconds: 0)
    }

    // MARK: Both

    private static func figures(_ bench: ClusterBench, _ names: [String]) throws(Fault) -> PingFigures {
        var all = PingFigures()
        for name in names { all.add(try bench.pings(of: name)) }
        return all
    }

    /// Looks once a second; a node that does not answer yet is asked again.
    private static func waitUntil(_ what: String, _ condition: () throws(Fault) -> Bool) throws(Fault) {
        let deadline = Clock.bootMilliseconds() + limitMilliseconds
        while Clock.bootMilliseconds() < deadline {
            let holds = try? condition()
            if holds == true { return }
            poll(nil, 0, lookMilliseconds)
        }
        throw Fault(.internalTrouble, "not in time: " + what)
    }
}
