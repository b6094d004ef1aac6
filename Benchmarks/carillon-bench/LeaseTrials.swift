import Cluster
import Delivery
import Wire

/// What is done to a `LeaseWorld`: kills, and nodes that stall.
extension LeaseWorld {
    /// Which nodes stall, and how.
    enum Stalls: CaseIterable {
        /// One node stands still for 0.5 to 4.5 s and runs for as long.
        case one
        /// Every node stands still for 50 to 500 ms and runs for 0.25 to 2.5 s.
        case short
        /// Both.
        case both
    }

    /// What an hour of stalls cost.
    struct StallFigures {
        /// Times that a node lost its shards: the one that stalls long, and all others.
        var longLosses = 0.0
        var otherLosses = 0.0
        var elections = 0.0
        /// Share of the time in which nodes that run, other than the one that stalls long, had no lease; per cent.
        var withoutLease = 0.0
    }

    // MARK: Kills

    /// Kills the coordinator or another node, starts it again when its shards are served; milliseconds until the first
    /// and the last of its shards was served again. Nil when the cluster does not come to rest in time.
    mutating func failOver(ofCoordinator: Bool) -> (first: Int64, last: Int64)? {
        guard rest(limit: 300_000) else { return nil }
        advance(to: time + 2000 + dice.below(1000))
        guard let coordinator = coordinator() else { return nil }
        let others = nodes.indices.filter { $0 != coordinator }
        let victim = ofCoordinator ? coordinator : others[Int(dice.below(Int64(others.count)))]
        var missing = (0...Shard.registry).filter { nodes[victim].serves($0, now: moment.bootMilliseconds) }
        let killed = time
        kill(victim)
        var first: Int64?
        let count = missing.count
        while !missing.isEmpty, time < killed + 60_000 {
            advance(to: time + 5)
            missing.removeAll { isServed($0) }
            if first == nil, missing.count < count { first = time - killed }
        }
        guard let first, missing.isEmpty else { return nil }
        let last = time - killed
        start(victim)
        return (first, last)
    }

    private func coordinator() -> Int? {
        guard let id = nodes.first(where: \.isUp)?.core.coordinatorID else { return nil }
        return nodes.firstIndex { $0.core.record?.id == id }
    }

    func isServed(_ shard: UInt16) -> Bool {
        nodes.contains { $0.stillUntil <= time && $0.serves(shard, now: moment.bootMilliseconds) }
    }

    /// Waits until every shard is served and every node owns its part; false when that takes longer than the limit.
    mutating func rest(limit: Int64) -> Bool {
        let end = time + limit
        while time < end {
            if isAtRest { return true }
            advance(to: time + 100)
        }
        return isAtRest
    }

    private var isAtRest: Bool {
        let now = moment.bootMilliseconds
        let least = Int(Shard.count) / nodes.count * 9 / 10
        var served = 0
        for node in nodes {
            let own = (0...Shard.registry).count { node.serves($0, now: now) }
            guard own >= least else { return false }
            served += own
        }
        return served == Int(Shard.count) + 1
    }

    // MARK: Stalls

    /// Lets nodes stall for so long; figures per hour.
    mutating func stall(_ stalls: Stalls, milliseconds: Int64) -> StallFigures? {
        guard rest(limit: 300_000) else { return nil }
        watch.reset()
        var next = nodes.indices.map { _ in time + dice.below(1000) }
        let end = time + milliseconds
        var running = 0
        var without = 0
        while time < end {
            for index in nodes.indices where next[index] <= time {
                next[index] = time + pauseNode(index, stalls)
            }
            advance(to: time + 10)
            for index in nodes.indices where nodes[index].stillUntil <= time && (index > 0 || stalls == .short) {
                running += 1
                without += nodes[index].core.leaseUntil > moment.bootMilliseconds ? 0 : 1
            }
        }
        return figures(stalls, hours: Double(milliseconds) / 3_600_000, without: without, of: running)
    }

    /// Freezes a node if it is its turn; returns when it is to be looked at again, in milliseconds from now.
    private mutating func pauseNode(_ index: Int, _ stalls: Stalls) -> Int64 {
        if index == 0, stalls != .short {
            let still = 500 + dice.below(4000)
            freeze(index, milliseconds: still)
            return still + 500 + dice.below(4000)
        }
        guard stalls != .one else { return .max / 2 }
        let still = 50 + dice.below(450)
        freeze(index, milliseconds: still)
        return still + 250 + dice.below(2250)
    }

    private func figures(_ stalls: Stalls, hours: Double, without: Int, of running: Int) -> StallFigures {
        let bad = stalls == .short ? 0 : watch.losses[0]
        return StallFigures(
            longLosses: Double(bad) / hours, otherLosses: Double(watch.losses.reduce(0, +) - bad) / hours,
            elections: Double(watch.terms.count) / hours,
            withoutLease: 100 * Double(without) / Double(max(1, running)))
    }
}
