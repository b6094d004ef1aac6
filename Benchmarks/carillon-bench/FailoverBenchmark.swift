import CLinux
import Codes
import LocalCluster
import Loops
import Wire

/// From `kill -9` of a node to the moment when its keys are served again, and the longest time without service when a
/// node is ended with SIGTERM; real processes, three nodes, CURVE unless `--insecure 1`.
///
/// `carillon-bench failover [-o json] [--kills N] [--ends N] [--keys N] [--insecure 1]`. Coordinators and other nodes
/// are killed in turn. After a kill one key of each of 64 of the lost shards is published to every 10 ms; as soon as
/// one is acknowledged, one key of every lost shard is. Shards of the same node change hands together, so that is the
/// light way to see the last.
enum FailoverBenchmark {
    private static let sampleShards = 64
    private static let probeMilliseconds: Int32 = 10
    /// How long is looked on after a node has ended.
    private static let settleNanoseconds: Int64 = 1_000_000_000
    private static let limitNanoseconds: Int64 = 60_000_000_000

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        NodeBench.run { () throws(Fault) in
            try measure(NodeBench.Arguments(arguments))
            return 0
        }
    }

    /// Milliseconds, one entry each time.
    private struct Figures {
        var first: [Int64] = []
        var last: [Int64] = []

        mutating func add(_ sample: (first: Int64, last: Int64)) {
            first.append(sample.first)
            last.append(sample.last)
        }
    }

    private static func measure(_ arguments: NodeBench.Arguments) throws(Fault) {
        let keys = arguments["keys", default: 10_000]
        let bench = try ClusterBench(insecure: arguments["insecure", default: 0] == 1, keysMax: keys + 10_000)
        defer { bench.end() }
        try fill(bench, keys)
        let targets = probeTargets(bench.map, keys)
        var kills = [Figures(), Figures()]
        var ends = [Figures(), Figures()]
        var number = 2_000_000_000_000
        let turns =
            (0..<arguments["kills", default: 100]).map { ($0, true) }
            + (0..<arguments["ends", default: 20]).map { ($0, false) }
        for (turn, isKill) in turns {
            number += 1_000_000
            guard let victim = try victim(bench, turn % 2 == 0, turn) else { continue }
            let sample = try lose(bench, victim, targets, number, isKill: isKill)
            if isKill { kills[turn % 2].add(sample) } else { ends[turn % 2].add(sample) }
            if !arguments.json {
                print("\(isKill ? "kill -9" : "SIGTERM") \(victim) \(turn % 2 == 0 ? "coordinator" : "") \(sample)")
            }
            try bench.cluster.startNode(victim)
            try bench.waitUntilHealthy()
        }
        show(kills, ends, keys, bench, json: arguments.json)
    }

    private static func show(
        _ kills: [Figures], _ ends: [Figures], _ keys: Int, _ bench: ClusterBench, json: Bool
    ) {
        var table = FigureTable(
            "failover", ["lost", "times", "first p50 ms", "last p50 ms", "last p99 ms", "last max ms"])
        for (name, figures) in [
            ("kill -9, coordinator", kills[0]), ("kill -9, another", kills[1]), ("SIGTERM, coordinator", ends[0]),
            ("SIGTERM, another", ends[1]),
        ] where !figures.last.isEmpty {
            let last = figures.last.sorted()
            table.add([
                .text(name), .number(Double(last.count)), .number(NodeBench.percentile(figures.first.sorted(), 0.5)),
                .number(NodeBench.percentile(last, 0.5)), .number(NodeBench.percentile(last, 0.99)),
                .number(Double(last.last ?? 0)),
            ])
        }
        table.notes = [
            "\(keys) keys, three nodes with \(Int(bench.residentMebibytes)) MiB; kill: until the first and the last "
                + "lost shard took an event again; SIGTERM: longest time between two acks of a shard, probed every "
                + "\(probeMilliseconds) ms",
            ProcessFigures.machine,
        ]
        table.show(json: json)
    }

    // MARK: Keys

    private static func fill(_ bench: ClusterBench, _ keys: Int) throws(Fault) {
        let names = bench.cluster.nodes.map(\.name)
        let settings = try names.map { name throws(Fault) in try bench.cluster.clientSettings(nodes: [name]) }
        let map = bench.map
        let load = try AckLoad(settings, keys: keys) { names.firstIndex(of: map.owner(of: $0)) ?? 0 }
        try load.run(window: 1000, count: keys, milliseconds: 600_000)
    }

    /// One of the keys for each shard that has any.
    private static func probeTargets(_ map: ClusterMap, _ keys: Int) -> [UInt16: Target] {
        var targets: [UInt16: Target] = [:]
        for number in 0..<min(keys, 100_000) {
            guard let target = Target(app: LocalCluster.app, kind: .activity, name: "match/\(number)") else { continue }
            targets[map.shard(of: target)] = target
        }
        return targets
    }

    // MARK: Losing a node

    private static func victim(_ bench: ClusterBench, _ ofCoordinator: Bool, _ turn: Int) throws(Fault) -> String? {
        guard let coordinator = try bench.coordinator() else { return nil }
        guard !ofCoordinator else { return coordinator }
        let others = bench.cluster.nodes.map(\.name).filter { $0 != coordinator }
        return others[turn / 2 % others.count]
    }

    /// Milliseconds until the first and the last of the node's shards took an event again, or how long the first and
    /// the last of them was without service.
    private static func lose(
        _ bench: ClusterBench, _ victim: String, _ targets: [UInt16: Target], _ number: Int, isKill: Bool
    ) throws(Fault) -> (first: Int64, last: Int64) {
        let lost = Set(bench.map.shards(of: victim))
        let affected = targets.filter { lost.contains($0.key) }
        let sample = Dictionary(
            uniqueKeysWithValues: affected.sorted { $0.key < $1.key }.shuffled().prefix(sampleShards).map { $0 })
        guard let entry = bench.cluster.nodes.map(\.name).first(where: { $0 != victim }) else { return (0, 0) }
        let settings = try bench.cluster.clientSettings(nodes: [entry])
        let first = try ServiceProbe(settings, from: number)
        first.watch(sample)
        try until(first, "is not served before") { $0.unserved == 0 }
        return isKill
            ? try kill(bench, victim, first, try ServiceProbe(settings, from: number + 500_000), affected)
            : try end(bench, victim, first)
    }

    private static func kill(
        _ bench: ClusterBench, _ victim: String, _ sample: ServiceProbe, _ all: ServiceProbe,
        _ affected: [UInt16: Target]
    ) throws(Fault) -> (first: Int64, last: Int64) {
        bench.cluster.killNode(victim)
        let killed = Clock.monotonicNanoseconds()
        sample.mark()
        try until(sample, "is not served again") { $0.firstServed != nil }
        all.watch(affected)
        try until(all, "is not served again") { $0.unserved == 0 }
        let first = sample.firstServed ?? killed
        return ((first - killed) / 1_000_000, ((all.lastServed ?? killed) - killed) / 1_000_000)
    }

    private static func end(
        _ bench: ClusterBench, _ victim: String, _ probe: ServiceProbe
    ) throws(Fault) -> (first: Int64, last: Int64) {
        guard let process = bench.cluster.node(victim).processID else { return (0, 0) }
        probe.mark()
        CLinux.kill(process, SIGTERM)
        let asked = Clock.monotonicNanoseconds()
        var ended: Int64?
        while ended.map({ probe.unserved(since: $0 + settleNanoseconds) > 0 }) ?? true {
            guard Clock.monotonicNanoseconds() - asked < limitNanoseconds else {
                throw Fault(.internalTrouble, "a shard is not served again, or the node does not end")
            }
            probe.probe(onlyUnserved: false)
            poll(nil, 0, probeMilliseconds)
            if ended == nil, bench.cluster.nodeEnding(victim) != nil { ended = Clock.monotonicNanoseconds() }
        }
        let gaps = probe.longestGaps
        return ((gaps.first ?? 0) / 1_000_000, (gaps.last ?? 0) / 1_000_000)
    }

    /// Probes what is not served yet until the condition holds.
    private static func until(
        _ probe: ServiceProbe, _ what: String, _ condition: (ServiceProbe) -> Bool
    ) throws(Fault) {
        let begun = Clock.monotonicNanoseconds()
        while !condition(probe) {
            guard Clock.monotonicNanoseconds() - begun < limitNanoseconds else {
                throw Fault(.internalTrouble, "\(probe.unserved) of \(probe.count) shards: one \(what)")
            }
            probe.probe(onlyUnserved: true)
            poll(nil, 0, probeMilliseconds)
        }
    }
}
