import Cluster
import Loops
import Wire

/// How even the placement is, what a join and a loss move, and how long the plan takes.
///
/// `carillon-bench placement [-o json]`. Goals: owners at most 1.03 of the mean, a join and a loss move no more than
/// the ideal.
enum PlacementBenchmark {
    private static let seed: (UInt64, UInt64) = (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210)
    private static let replicas = 3
    private static let ownersGoal = 1.03
    private static let movedGoal = 1.02

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        var table = FigureTable(
            "placement",
            [
                "nodes", "owners max/mean", "owners min/mean", "copies max/mean", "join moved/ideal",
                "loss moved/ideal", "owners after loss", "first ms", "join ms", "loss ms", "table bytes",
            ])
        var isGood = true
        for count in [3, 10, 50, 100, 200] {
            let figures = Figures(nodes: count)
            isGood =
                isGood && figures.owners.max <= ownersGoal && figures.join <= movedGoal && figures.loss <= movedGoal
            table.add(figures.row)
        }
        table.notes = [
            "ideal of a join: the newcomer's share of all copies; of a loss: the copies that were lost",
            "goals: owners at most \(ownersGoal) of the mean, moved at most \(movedGoal) of the ideal",
        ]
        table.show(json: arguments.contains("json"))
        return isGood ? 0 : 1
    }

    private struct Figures {
        var nodes: Int
        var owners = (max: 0.0, min: 0.0)
        var copies = 0.0
        var join = 0.0
        var loss = 0.0
        var ownersAfterLoss = 0.0
        var milliseconds: [Double] = []
        var bytes = 0

        init(nodes count: Int) {
            nodes = count
            let first = timed(Placement(), members(0..<count))
            var state = ClusterState()
            let placement = placed(first, into: &state, count)
            owners = (Figures.owners(first, count).max() ?? 0, Figures.owners(first, count).min() ?? 0)
            copies = Figures.copies(first, count).max() ?? 0
            bytes = state.encode().count
            let joined = timed(placement, members(0..<count + 1))
            join = Double(moved(first, joined)) / (Double(first.count * min(replicas, count)) / Double(count + 1))
            guard count > replicas else { return }
            let lost = timed(placement, members(1..<count))
            let missing = first.count { $0.contains(node(0)) }
            loss = Double(moved(first, lost)) / Double(missing)
            ownersAfterLoss = (Figures.owners(lost, count).max() ?? 0) * Double(count - 1) / Double(count)
        }

        private mutating func timed(_ current: Placement, _ members: [PlacementPlan.Candidate]) -> [[NodeID]] {
            let start = Clock.monotonicNanoseconds()
            let plan = PlacementPlan(current: current, candidates: members, replicas: replicas, seed: seed)
            milliseconds.append(Double(Clock.monotonicNanoseconds() - start) / 1_000_000)
            return Array(plan.replicas.dropLast())
        }

        private static func owners(_ plan: [[NodeID]], _ count: Int) -> [Double] {
            var counts: [NodeID: Int] = [:]
            for set in plan { counts[set[0], default: 0] += 1 }
            return counts.values.map { Double($0) * Double(count) / Double(plan.count) }
        }

        private static func copies(_ plan: [[NodeID]], _ count: Int) -> [Double] {
            var counts: [NodeID: Int] = [:]
            for node in plan.joined() { counts[node, default: 0] += 1 }
            return counts.values.map { Double($0) * Double(count) / Double(plan.joined().count) }
        }

        private func moved(_ old: [[NodeID]], _ new: [[NodeID]]) -> Int {
            zip(old, new).reduce(0) { sum, pair in sum + pair.1.count { !pair.0.contains($0) } }
        }

        var row: [FigureTable.Value] {
            let figures = [
                owners.max, owners.min, copies, join, loss, ownersAfterLoss, milliseconds[0], milliseconds[1],
                milliseconds.count > 2 ? milliseconds[2] : 0, Double(bytes),
            ]
            return [.text("\(nodes)")] + figures.map(FigureTable.Value.number)
        }
    }

    private static func node(_ number: Int) -> NodeID {
        NodeID(high: UInt64(number + 1) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number) &* 0xbf58_476d_1ce4_e5b9)
    }

    private static func members(_ numbers: Range<Int>) -> [PlacementPlan.Candidate] {
        numbers.map { PlacementPlan.Candidate(id: node($0)) }
    }

    /// The plan as the state's placement, by way of the log's commands.
    private static func placed(_ plan: [[NodeID]], into state: inout ClusterState, _ count: Int) -> Placement {
        let admits = (0..<count).map { number in
            ClusterCommand.admit(
                Member(
                    id: node(number), incarnation: Incarnation(generation: 1), name: "n\(number)",
                    control: "tcp://127.0.0.1:1", data: "tcp://127.0.0.1:2"))
        }
        let list = plan.enumerated().map {
            PlacedShard(shard: UInt16($0.offset), entry: ShardEntry(epoch: 1, replicas: $0.element))
        }
        for batch in ClusterCommand.batches(admits + [.place(list)]) { _ = state.apply(ClusterCommand.encode(batch)) }
        return state.placement
    }
}
