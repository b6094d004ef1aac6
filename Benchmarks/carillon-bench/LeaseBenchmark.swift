import Loops

/// The trade of the cluster's time-outs, in virtual time: how soon shards are served again after a kill, against how
/// often nodes lose shards although nobody was killed, for each pair of a lease and an election time-out.
///
/// `carillon-bench leases [-o json] [--kills N] [--minutes N] [--lease MS] [--election MS]`. Kills: three nodes.
/// Stalls: five nodes, figures per hour. The lease's heartbeat is a sixth of the lease, the coordinator's a quarter of
/// the shortest election time-out; disks take 2 to 8 ms, the network up to 1 ms, computing nothing.
enum LeaseBenchmark {
    private typealias World = LeaseWorld

    @Sendable
    static func run(_ words: [String]) -> Int32 {
        let arguments = NodeBench.Arguments(words)
        let kills = arguments["kills", default: 50]
        let minutes = arguments["minutes", default: 30]
        let leases =
            arguments["lease", default: 0] > 0 ? [arguments["lease", default: 0]] : [500, 1000, 1500, 2000, 3000]
        let elections = arguments["election", default: 0] > 0 ? [arguments["election", default: 0]] : [300, 600, 1000]
        let settings = elections.flatMap { election in
            leases.map { lease in
                var settings = World.Settings()
                settings.leaseMilliseconds = Int64(lease)
                settings.electionMilliseconds = Int64(election)...Int64(2 * election)
                return settings
            }
        }
        if kills > 0 { killTable(settings, kills).show(json: arguments.json) }
        if minutes > 0 { stallTable(settings, minutes).show(json: arguments.json) }
        return 0
    }

    // MARK: Kills

    private static func killTable(_ all: [World.Settings], _ kills: Int) -> FigureTable {
        var table = FigureTable(
            "leases: milliseconds until shards are served after kill -9",
            ["lease", "election", "other first p50", "last p50", "p99", "coordinator first p50", "last p50", "p99"])
        for settings in all {
            var row = label(settings)
            for isCoordinator in [false, true] {
                let (first, last) = failOvers(settings, kills, isCoordinator)
                row += [
                    .number(NodeBench.percentile(first, 0.5)), .number(NodeBench.percentile(last, 0.5)),
                    .number(NodeBench.percentile(last, 0.99)),
                ]
            }
            table.add(row)
        }
        table.notes = ["\(kills) kills each, three nodes, \(4097) shards without rows"]
        return table
    }

    private static func failOvers(
        _ settings: World.Settings, _ kills: Int, _ isCoordinator: Bool
    ) -> (first: [Int64], last: [Int64]) {
        var settings = settings
        settings.flapMilliseconds = 10_000
        var world = World(settings, seed: isCoordinator ? 1 : 2)
        var first: [Int64] = []
        var last: [Int64] = []
        for _ in 0..<kills {
            guard let figures = world.failOver(ofCoordinator: isCoordinator) else { continue }
            first.append(figures.first)
            last.append(figures.last)
        }
        if first.count < kills { print("\(kills - first.count) of \(kills) kills came to no end") }
        return (first.sorted(), last.sorted())
    }

    // MARK: Stalls

    private static func stallTable(_ all: [World.Settings], _ minutes: Int) -> FigureTable {
        var table = FigureTable(
            "leases: per hour, when nobody is killed",
            [
                "lease", "election", "stalls", "losses of the one", "losses of others", "coordinators",
                "others without lease %",
            ])
        for settings in all {
            for stalls in World.Stalls.allCases {
                var settings = settings
                settings.nodes = 5
                var world = World(settings, seed: 3)
                guard let figures = world.stall(stalls, milliseconds: Int64(minutes) * 60_000) else {
                    print("lease \(settings.leaseMilliseconds): the cluster does not come to rest")
                    continue
                }
                table.add(
                    label(settings) + [
                        .text("\(stalls)"), .number(figures.longLosses), .number(figures.otherLosses),
                        .number(figures.elections), .number(figures.withoutLease),
                    ])
            }
        }
        table.notes = [
            "\(minutes) virtual minutes each, five nodes; one: a node stands still for 0.5 to 4.5 s half of the time; "
                + "short: every node for 50 to 500 ms a sixth of the time; both"
        ]
        return table
    }

    private static func label(_ settings: World.Settings) -> [FigureTable.Value] {
        [
            .text("\(settings.leaseMilliseconds)"),
            .text("\(settings.electionMilliseconds.lowerBound)–\(settings.electionMilliseconds.upperBound)"),
        ]
    }
}
