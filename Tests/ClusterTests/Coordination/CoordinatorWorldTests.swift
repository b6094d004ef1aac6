import Glibc
import Testing
import Wire

@testable import Cluster

/// Joins, deaths, restarts, cuts, clocks, lost messages and lost proposals at random, then peace: the checks hold
/// throughout, and everything comes to rest. `CARILLON_SEED=n swift test --filter CoordinatorWorldTests` replays one
/// seed, `CARILLON_SEEDS=n` runs more of them, `CARILLON_MUTANT=name` with a fault; `CARILLON_MUTANTS=1` tries all
/// faults.
@Suite struct CoordinatorWorldTests {
    private func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    private var seeds: [UInt64] {
        if let one = environment("CARILLON_SEED").flatMap(UInt64.init) { return [one] }
        return Array(1...(environment("CARILLON_SEEDS").flatMap(UInt64.init) ?? 1))
    }

    @Test func ownershipHoldsInEverySeed() {
        let mutant = environment("CARILLON_MUTANT").flatMap(Mutant.init(rawValue:))
        var places = 0
        var broken: [String] = []
        for seed in seeds {
            var world = CoordinatorChaos(seed: seed, mutant: mutant)
            let problem = world.play()
            places += world.world.places
            if let problem { broken.append("seed \(seed): \(problem)") }
        }
        print("coordinator world: \(seeds.count) seeds, \(places) entries placed, \(broken.count) broken")
        for problem in broken.prefix(5) { Issue.record("\(problem)") }
    }

    @Test func aSeedRepeatsExactly() {
        var first = CoordinatorChaos(seed: 3, mutant: nil, milliseconds: 6_000)
        var second = CoordinatorChaos(seed: 3, mutant: nil, milliseconds: 6_000)
        #expect(first.trouble() == second.trouble())
        #expect(first.world.state.encode() == second.world.state.encode())
    }

    /// Lost proposals, a join, a node that starts again, and a clock that runs away, one after another.
    private func ordeal(_ mutant: Mutant?) -> String? {
        var world = CoordinatorWorld(nodes: 3, seed: 1, mutant: mutant)
        world.proposalLossPercent = 60
        world.run(milliseconds: 3000)
        world.proposalLossPercent = 0
        let isSettled = world.run(upTo: 8000) { $0.unsettled == nil }
        guard isSettled else { return world.problems.first ?? world.unsettled }
        world.join(4)
        world.run(milliseconds: 12_000)
        let node = world.up.last { $0 != world.leader } ?? .none
        world.nodes[node]?.clockOffset = 3000
        world.nodes[node]?.clockSince = world.time
        world.run(milliseconds: 3000)
        return world.problems.first
    }

    @Test func theOrdealIsPassed() { #expect(ordeal(nil) == nil) }

    @Test(arguments: [Mutant.edgeTriggered, .formerNotKept, .swapInUnsyncedLearner, .clockRuleDropped])
    func theOrdealFindsTheFault(mutant: Mutant) {
        let problem = ordeal(mutant)
        print("\(mutant.rawValue): \(problem ?? "survives")")
        #expect(problem != nil)
    }

    @Test(
        .enabled(if: getenv("CARILLON_MUTANTS") != nil, "takes minutes without optimization"),
        arguments: [
            Mutant.leaseNotBoundToGeneration, .reassignWithoutLeaseEnd, .formerNotKept, .swapInUnsyncedLearner,
            .clockRuleDropped, .noLeaseWaitAfterElection,
        ])
    func theWorldFindsTheFault(mutant: Mutant) {
        var found: [String] = []
        for seed in 1...20 as ClosedRange<UInt64> {
            var chaos = CoordinatorChaos(seed: seed, mutant: mutant)
            if let problem = chaos.trouble() { found.append("seed \(seed): \(problem)") }
        }
        print("\(mutant.rawValue): found in \(found.count) of 20 seeds; \(found.first ?? "")")
        #expect(!found.isEmpty, "\(mutant.rawValue) survives")
    }
}

/// One seed's faults.
struct CoordinatorChaos {
    var world: CoordinatorWorld
    private var dice: Dice
    private let milliseconds: Int64
    private var nextNumber: UInt64

    init(seed: UInt64, mutant: Mutant?, milliseconds: Int64 = 30_000) {
        dice = Dice(seed: seed &* 31)
        let count = Int(dice.between(3, 5))
        world = CoordinatorWorld(nodes: count, seed: seed, mutant: mutant)
        nextNumber = UInt64(count) + 1
        self.milliseconds = milliseconds
        world.lossPercent = dice.between(0, 20)
        world.proposalLossPercent = dice.between(0, 30)
        world.delayMilliseconds = dice.between(1, 300)
    }

    /// What broke; nil when nothing did.
    mutating func play() -> String? { trouble() ?? heal() }

    /// The restless part of it.
    mutating func trouble() -> String? {
        let end = world.time + milliseconds
        while world.time < end, world.problems.isEmpty {
            if dice.chance(percent: 4) { happen() }
            world.step()
        }
        return world.problems.first
    }

    private mutating func pick() -> NodeID { world.nodes.keys.sorted().randomElement(using: &dice) ?? .none }

    private mutating func happen() {
        let id = pick()
        guard let node = world.nodes[id] else { return }
        switch dice.below(8) {
        case 0:
            if world.up.count > 2 { world.kill(id) }
        case 1, 2: if !node.isUp { world.start(id) }
        case 3:
            world.kill(id)
            world.start(id)
        case 4: world.cut(id, !node.isCut && dice.chance(percent: 50))
        case 5:
            world.nodes[id]?.clockOffset = dice.chance(percent: 50) ? 0 : dice.between(-4000, 4000)
            world.nodes[id]?.clockSince = world.time
        case 6:
            if nextNumber < 7 { world.join(nextNumber) }
            nextNumber += 1
        default:
            if let next = world.up.filter(world.voters.voters.contains).randomElement(using: &dice),
                !(world.nodes[next]?.isCut ?? true)
            {
                world.elect(next)
            }
        }
    }

    /// Everybody comes back; then all must come to rest.
    private mutating func heal() -> String? {
        world.lossPercent = 0
        world.proposalLossPercent = 0
        world.delayMilliseconds = 20
        for id in world.nodes.keys.sorted() {
            world.nodes[id]?.clockOffset = 0
            if world.nodes[id]?.isUp == false { world.start(id) }
            world.cut(id, false)
        }
        let isSettled = world.run(upTo: 400_000) { $0.time % 1000 == 0 && $0.unsettled == nil }
        return world.problems.first ?? (isSettled ? nil : world.unsettled ?? "never at rest")
    }
}
