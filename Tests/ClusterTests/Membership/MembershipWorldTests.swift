import Cluster
import Glibc
import Testing
import Wire

/// Membership in a seeded world. `CARILLON_SEED=n` replays one seed, `CARILLON_SEEDS=n` runs more of them.
@Suite struct MembershipWorldTests {
    private static func environment(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private static var seeds: [UInt64] {
        if let one = environment("CARILLON_SEED") { return [one] }
        return Array(1...(environment("CARILLON_SEEDS") ?? 4))
    }

    private static let cluster = NodeID(high: 7, low: 7)

    private func formed(_ count: Int, seed: UInt64, lossPercent: Int64 = 0) -> MembershipWorld {
        var world = MembershipWorld(seed: seed)
        world.weather.lossPercent = lossPercent
        world.startMany(count)
        let all = world.running()
        let time = world.run(atMost: 30_000) { $0.agree(all) }
        #expect(time != nil, "seed \(seed): \(count) nodes do not find each other")
        world.forgetObservations()
        return world
    }

    @Test(arguments: [1, 2, 3, 10, 40]) func nodesFindEachOther(count: Int) {
        for seed in Self.seeds {
            let world = formed(count, seed: seed)
            #expect(world.milliseconds < 5_000, "seed \(seed): \(world.milliseconds) ms")
        }
    }

    @Test(arguments: [0, 5, 15]) func nobodyIsDeclaredDeadInACalmWorld(lossPercent: Int64) {
        for seed in Self.seeds {
            var world = formed(10, seed: seed, lossPercent: lossPercent)
            world.run(milliseconds: 60_000)
            let deaths = world.observations.filter { $0.row.state == .dead }
            #expect(deaths.isEmpty, "seed \(seed)")
            #expect(world.agree(world.running()) || lossPercent > 0, "seed \(seed)")
        }
    }

    @Test(arguments: [2, 3, 10, 40]) func aCrashIsSeenByAll(count: Int) {
        for seed in Self.seeds {
            var world = formed(count, seed: seed)
            let victim = Int(seed) % count
            let id = world.nodes[victim].id
            world.crash(victim)
            let others = world.running()
            let time = world.run(atMost: 12_000) { world in
                others.allSatisfy { world.state(of: id, seenBy: $0) == .dead }
            }
            #expect(time != nil, "seed \(seed)")
            #expect(world.observations.allSatisfy { $0.row.state != .dead || $0.row.member.id == id })
        }
    }

    @Test func aRestartFasterThanDetectionIsSeenEverywhereWithinTwoSeconds() {
        for seed in Self.seeds {
            for pause in [0, 100, 900, 3_000] as [Int64] {
                var world = formed(10, seed: seed)
                let victim = Int(seed) % 10
                let id = world.nodes[victim].id
                world.crash(victim)
                world.run(milliseconds: pause)
                world.forgetObservations()
                world.restart(victim, at: pause == 900 ? "tcp://elsewhere:1" : nil, seeds: ["n0", "n1", "n2"])
                let all = world.running()
                let time = world.run(atMost: 2_000) { $0.agree(all) }
                #expect(time != nil, "seed \(seed), pause \(pause): \(describe(world, id))")
                world.run(milliseconds: 20_000)
                let last = world.nodes.count - 1
                #expect(world.agree(all))
                // Nobody applies an old run's verdict to the new one.
                let generation = world.nodes[last].membership.me.incarnation.generation
                #expect(
                    world.observations.allSatisfy {
                        $0.row.member.id != id || $0.row.state != .dead
                            || $0.row.member.incarnation.generation < generation
                    })
            }
        }
    }

    @Test(arguments: [500, 8_000, 60_000, 300_000] as [Int64])
    func partitionsOfAnyLengthHeal(milliseconds: Int64) {
        for seed in Self.seeds {
            var world = formed(9, seed: seed)
            let cut = 1 + Int(seed) % 8
            world.part(0..<cut, into: 1)
            world.run(milliseconds: milliseconds)
            if milliseconds > 20_000 {
                #expect(world.agree(world.running(in: 0)) && world.agree(world.running(in: 1)), "seed \(seed)")
            }
            world.part(0..<cut, into: 0)
            let all = world.running()
            let time = world.run(atMost: 25_000) { $0.agree(all) }
            #expect(time != nil, "seed \(seed)")
            world.run(milliseconds: 30_000)
            #expect(world.agree(all), "seed \(seed)")
        }
    }

    @Test func aWipedNodeTakesTheNameOfItsDeadSelf() {
        for seed in Self.seeds {
            var world = formed(5, seed: seed)
            let old = world.nodes[4].id
            world.crash(4)
            let new = world.start("n4", seeds: ["n0", "n1"], cluster: Self.cluster)
            world.run(milliseconds: 500)
            // Its former self still counts as alive.
            #expect(
                world.notices.contains { observer, notice in
                    if case .refused(.nameTaken, _) = notice { observer == new } else { false }
                })
            let all = world.running()
            #expect(world.run(atMost: 15_000) { $0.agree(all) } != nil, "seed \(seed)")
            for index in all where index != new { #expect(world.state(of: old, seenBy: index) == .dead) }
            #expect(world.nodes[0].membership.member(named: "n4")?.id == world.nodes[new].id)
        }
    }

    @Test func aCopyOfALivingNodeIsRefused() {
        for seed in Self.seeds {
            var world = formed(5, seed: seed)
            let copy = world.start("n4", at: "tcp://copy:1", seeds: ["n0", "n1"], cluster: Self.cluster)
            world.run(milliseconds: 20_000)
            #expect(world.agree(Array(0..<5)), "seed \(seed)")
            #expect(world.nodes[copy].membership.rows.count == 1)
        }
    }

    @Test func clustersDoNotMergeWhenAddressesAreUsedAgain() {
        for seed in Self.seeds {
            var world = formed(4, seed: seed)
            let names = ["n0", "n1", "n2"]
            let otherCluster = NodeID(high: 9, low: 9)
            let others = ["b0", "b1"].map { world.start($0, seeds: ["b0", "b1"], cluster: otherCluster) }
            world.run(milliseconds: 5_000)
            // Two of the first cluster go; one of the second takes an address of theirs and a third has them as seeds.
            world.crash(2)
            world.crash(3)
            let moved = world.start(
                "b2", at: MembershipWorld.address(of: "n3"), seeds: ["b0", "n0"], cluster: otherCluster)
            let blank = world.start("b3", at: MembershipWorld.address(of: "n2"), seeds: names + ["b0"])
            world.run(milliseconds: 60_000)
            #expect(world.agree(others + [moved]) || world.agree(others + [moved, blank]), "seed \(seed)")
            #expect(world.agree([0, 1]) || world.agree([0, 1, blank]), "seed \(seed)")
        }
    }

    @Test func anEmptyNodeStaysWithTheFirstClusterOfItsName() {
        for seed in Self.seeds {
            var world = MembershipWorld(seed: seed)
            let first = (0..<3).map { world.start("a\($0)", seeds: ["a0", "a1"], cluster: Self.cluster) }
            let second = (0..<3).map {
                world.start("b\($0)", seeds: ["b0", "b1"], cluster: NodeID(high: 9, low: 9))
            }
            world.run(milliseconds: 3_000)
            let blank = world.start("c", seeds: ["a0", "b0"])
            let blanker = world.start("d", seeds: ["c", "b1"])
            world.run(milliseconds: 40_000)
            // Whoever took the blank ones: members of one cluster never hear of members of the other.
            let firsts = Set(first.map { world.nodes[$0].id })
            let seconds = Set(second.map { world.nodes[$0].id })
            for index in first + second + [blank, blanker] {
                let rows = Set(world.nodes[index].membership.rows.map(\.member.id))
                #expect(rows.isDisjoint(with: firsts) || rows.isDisjoint(with: seconds), "seed \(seed), \(index)")
            }
        }
    }

    @Test func noHealthyNodeIsDeclaredDeadByAHealthyOneWhenOthersStandStill() {
        for seed in Self.seeds {
            var world = formed(10, seed: seed)
            var dice = Dice(seed: seed &+ 99)
            let sick = Int(seed) % 10
            for _ in 0..<40 {
                world.stall(sick, milliseconds: dice.between(500, 4_500))
                world.run(milliseconds: dice.between(1_000, 7_000))
            }
            let id = world.nodes[sick].id
            let wrong = world.observations.filter { $0.row.state == .dead && $0.row.member.id != id }
            #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) by \(wrong.map(\.observer))")
            let all = world.running()
            #expect(world.run(atMost: 20_000) { $0.agree(all) } != nil, "seed \(seed)")
        }
    }

    @Test func storms() {
        for seed in Self.seeds { storm(seed) }
    }

    /// Everything at once; then all must agree, and incarnations must have grown only where they live.
    private func storm(_ seed: UInt64) {
        var world = formed(8, seed: seed)
        var dice = Dice(seed: seed &+ 7)
        world.weather.lossPercent = dice.below(20)
        world.weather.delayMicroseconds = 300...dice.between(1_000, 120_000)
        for _ in 0..<60 {
            let index = Int(dice.below(Int64(world.nodes.count)))
            switch dice.below(6) {
            case 0 where world.nodes[index].isUp: world.crash(index)
            case 1 where isLatest(index, world): world.restart(index, seeds: ["n0", "n1", "n2"])
            case 2: world.stall(index, milliseconds: dice.between(10, 9_000))
            case 3: world.part([index], into: Int(dice.below(2)))
            case 4: world.nodes[index].wallSkew = dice.between(-2_000, 2_000)
            default: break
            }
            world.run(milliseconds: dice.between(1, 6_000))
            checkIncarnations(world, seed)
        }
        heal(&world)
        let all = world.running()
        let time = world.run(atMost: 45_000) { $0.agree(all) }
        #expect(time != nil, "seed \(seed): \(world.disagreements(all))")
    }

    private func heal(_ world: inout MembershipWorld) {
        world.weather = MembershipWorld.Weather()
        world.part(world.nodes.indices, into: 0)
        for index in world.nodes.indices where isLatest(index, world) && !world.nodes[index].isUp {
            world.restart(index, seeds: ["n0", "n1", "n2"])
        }
    }

    private func isLatest(_ index: Int, _ world: MembershipWorld) -> Bool {
        world.nodes.lastIndex { $0.id == world.nodes[index].id } == index
    }

    /// Nobody claims an incarnation of a node that the node itself has not reached.
    private func checkIncarnations(_ world: MembershipWorld, _ seed: UInt64) {
        for index in world.running() {
            for row in world.nodes[index].membership.rows {
                guard let owner = world.nodes.last(where: { $0.id == row.member.id }) else { continue }
                #expect(row.member.incarnation <= owner.membership.me.incarnation, "seed \(seed)")
            }
        }
    }

    private func describe(_ world: MembershipWorld, _ id: NodeID) -> String {
        world.running().map { index in
            let row = world.nodes[index].membership.row(id)
            return "\(index): \(row?.state.name ?? "-") \(row?.member.incarnation.generation ?? 0)"
        }.joined(separator: ", ")
    }
}
