import Cluster
import Loops
import Wire

/// How soon members see a crash, what they say when nothing happens, and how often a node that stands still again and
/// again is taken for dead; in virtual time, from seeds.
///
/// `carillon-bench membership [detection|stalls] [default|all] [-o json]`. The world is the one of the tests.
enum MembershipBenchmark {
    private struct Profile {
        var name: String
        var settings: MembershipSettings
    }

    private static let profiles = [
        Profile(name: "default", settings: MembershipSettings()),
        profile("fast: factor 3", factor: 3),
        profile("factor 6", factor: 6),
        profile("factor 7", factor: 7),
        profile("250/125 factor 3", probe: 250, factor: 3),
        profile("250/125 factor 4", probe: 250, factor: 4),
        profile("250/125 factor 6", probe: 250, factor: 6),
        profile("250/125 factor 8", probe: 250, factor: 8),
        profile("memberlist LAN", probe: 1_000, factor: 4, most: 6),
    ]

    private static func profile(_ name: String, probe: Int64 = 500, factor: Int, most: Int = 3) -> Profile {
        Profile(
            name: name,
            settings: MembershipSettings(
                probeMilliseconds: probe, timeoutMilliseconds: probe / 2, suspicionFactor: factor,
                suspicionMaxFactor: most))
    }

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        let json = arguments.contains("json")
        let chosen = arguments.contains("default") ? Array(profiles.prefix(1)) : profiles
        if !arguments.contains("stalls") { detection(chosen).show(json: json) }
        if !arguments.contains("detection") { stalls(chosen).show(json: json) }
        return 0
    }

    // MARK: Detection

    private static func detection(_ profiles: [Profile]) -> FigureTable {
        var table = FigureTable(
            "membership: detection",
            [
                "settings", "nodes", "suspect p50 s", "dead p50 s", "dead p99 s", "all know p50 s", "all know p99 s",
                "bytes/s", "messages/s", "with exchange",
            ])
        for profile in profiles {
            for (count, crashes) in [(3, 300), (10, 300), (100, 40), (200, 40)] {
                let figures = detect(profile.settings, count: count, crashes: crashes)
                let idle = idle(profile.settings, count: count)
                table.add(
                    [.text(profile.name), .number(Double(count))]
                        + [
                            figures.suspect.percentile(50), figures.dead.percentile(50), figures.dead.percentile(99),
                            figures.known.percentile(50), figures.known.percentile(99), idle.bytes, idle.messages,
                            idle.bytesWithExchange,
                        ].map { .number($0) })
            }
        }
        table.notes = [
            "virtual time, links of 0.3 to 1 ms; bytes per node and second are those of encoded frames, without TCP"
        ]
        return table
    }

    private struct Detection {
        var suspect: [Double] = []
        var dead: [Double] = []
        var known: [Double] = []
    }

    private static func detect(_ settings: MembershipSettings, count: Int, crashes: Int) -> Detection {
        var world = formed(settings, count: count, seed: UInt64(count))
        var dice = Dice(seed: 17)
        var figures = Detection()
        for _ in 0..<crashes {
            world.run(milliseconds: dice.between(5_000, 9_000))
            world.forgetObservations()
            let running = world.running()
            let victim = running[Int(dice.below(Int64(running.count)))]
            let id = world.nodes[victim].id
            let start = world.milliseconds
            world.crash(victim)
            let others = world.running()
            guard
                let known = world.run(
                    atMost: 120_000,
                    until: { world in others.allSatisfy { world.state(of: id, seenBy: $0) == .dead } })
            else { continue }
            figures.known.append(Double(known) / 1_000)
            func first(_ state: MemberState) -> Double? {
                world.observations.first { $0.row.member.id == id && $0.row.state == state }
                    .map { Double($0.milliseconds - start) / 1_000 }
            }
            if let time = first(.suspect) { figures.suspect.append(time) }
            if let time = first(.dead) { figures.dead.append(time) }
            world.restart(victim, seeds: ["n0", "n1", "n2"])
            let all = world.running()
            _ = world.run(atMost: 60_000) { $0.agree(all) }
        }
        return figures
    }

    private static func idle(
        _ settings: MembershipSettings, count: Int
    ) -> (bytes: Double, messages: Double, bytesWithExchange: Double) {
        func measure(_ settings: MembershipSettings) -> (Double, Double) {
            var world = formed(settings, count: count, seed: 3)
            world.keepsObservations = false
            world.run(milliseconds: 20_000)
            let before = totals(world)
            world.countsBytes = true
            let seconds = count > 50 ? 60.0 : 240.0
            world.run(milliseconds: Int64(seconds * 1_000))
            let after = totals(world)
            let share = seconds * Double(count)
            return (Double(after.bytes - before.bytes) / share, Double(after.messages - before.messages) / share)
        }
        var quiet = settings
        quiet.exchangeMilliseconds = 100_000_000
        let plain = measure(quiet)
        return (plain.0, plain.1, measure(settings).0)
    }

    private static func totals(_ world: MembershipWorld) -> (bytes: Int, messages: Int) {
        (world.nodes.reduce(0) { $0 + $1.bytesSent }, world.nodes.reduce(0) { $0 + $1.messagesSent })
    }

    private static func formed(_ settings: MembershipSettings, count: Int, seed: UInt64) -> MembershipWorld {
        var world = MembershipWorld(seed: seed, settings: settings)
        world.startMany(count)
        let all = world.running()
        _ = world.run(atMost: 60_000) { $0.agree(all) }
        return world
    }

    // MARK: Stalls

    private static func stalls(_ profiles: [Profile]) -> FigureTable {
        var table = FigureTable(
            "membership: dead verdicts while nodes stand still for 0.5 to 4.5 s half of the time",
            ["settings", "10 nodes, 1 bad", "50 nodes, 3 bad", "healthy by healthy"])
        for profile in profiles {
            let small = stalled(profile.settings, count: 10, bad: 1, runs: 20)
            let large = stalled(profile.settings, count: 50, bad: 3, runs: 6)
            table.add(
                [.text(profile.name)]
                    + [small.all, large.all, small.wrong + large.wrong].map { .number(Double($0)) })
        }
        table.notes = ["20 × 300 s and 6 × 300 s of virtual time; summed over the views of all nodes"]
        return table
    }

    private static func stalled(
        _ settings: MembershipSettings, count: Int, bad: Int, runs: Int
    ) -> (all: Int, wrong: Int) {
        var all = 0
        var wrong = 0
        for run in 0..<runs {
            var world = formed(settings, count: count, seed: UInt64(run + 1))
            world.forgetObservations()
            var dice = Dice(seed: UInt64(run + 100))
            let end = world.milliseconds + 300_000
            var next = (0..<bad).map { _ in world.milliseconds + dice.between(0, 4_500) }
            while let time = next.min(), time < end {
                let node = next.firstIndex(of: time) ?? 0
                world.run(until: time)
                let length = dice.between(500, 4_500)
                world.stall(node, milliseconds: length)
                next[node] = time + length + dice.between(500, 4_500)
            }
            world.run(until: end)
            let ids = Set((0..<bad).map { world.nodes[$0].id })
            for seen in world.observations where seen.row.state == .dead && seen.before != .dead {
                all += 1
                if seen.observer >= bad, !ids.contains(seen.row.member.id) { wrong += 1 }
            }
        }
        return (all, wrong)
    }
}

extension [Double] {
    fileprivate func percentile(_ percent: Int) -> Double {
        guard !isEmpty else { return 0 }
        return sorted()[Swift.min(count - 1, count * percent / 100)]
    }
}
