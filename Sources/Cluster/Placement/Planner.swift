import Wire

/// The work of `PlacementPlan`: members and shards by small numbers, loads kept along.
struct Planner {
    private static let shardCount = Int(Shard.count)

    private let ids: [NodeID]
    private let mayOwn: [Bool]
    private let weights: [Int]
    private let zones: [Int]
    private let zoneCount: Int
    private let replicas: Int
    private let seed: (UInt64, UInt64)
    /// Wanted copies, in units of 1/65536.
    private let shares: [Int]
    private var numbers: [NodeID: Int] = [:]
    /// Members of each shard; the owner first once owners are chosen.
    private var sets: [[Int]] = []
    private var loads: [Int]
    /// Members that are already on their way to a shard.
    private var learners: [[Int]] = []
    private var scores: [[UInt64]]

    init(current: Placement, candidates: [PlacementPlan.Candidate], replicas count: Int, seed: (UInt64, UInt64)) {
        ids = candidates.map(\.id)
        mayOwn = candidates.map(\.mayOwn)
        weights = candidates.map { Int($0.weight) }
        replicas = min(count, candidates.count)
        self.seed = seed
        let names = Set(candidates.map(\.zone)).sorted()
        let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        zones = candidates.map { places[$0.zone] ?? 0 }
        zoneCount = names.count
        shares = Self.shares(weights: weights, zones: zones, zoneCount: zoneCount, replicas: replicas)
        loads = Array(repeating: 0, count: candidates.count)
        scores = Array(repeating: [], count: candidates.count)
        numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        for shard in 0..<Self.shardCount {
            let entry = current[UInt16(shard)]
            let set = kept(entry.replicas.compactMap { numbers[$0] })
            sets.append(set)
            learners.append(entry.learners.compactMap { numbers[$0] })
            for member in set { loads[member] += 1 }
        }
    }

    /// Zones are a rule that holds when there are enough of them, and a wish otherwise.
    private var zonesAreHard: Bool { zoneCount >= replicas && zoneCount > 1 }

    private static func shares(weights: [Int], zones: [Int], zoneCount: Int, replicas: Int) -> [Int] {
        let isHard = zoneCount >= replicas && zoneCount > 1
        let groups =
            isHard ? (0..<zoneCount).map { zone in zones.indices.filter { zones[$0] == zone } } : [Array(zones.indices)]
        let split = PlacementShares.split(
            shardCount * replicas, groups: groups.map { $0.map { weights[$0] } },
            groupMax: isHard ? shardCount : shardCount * replicas)
        var shares = Array(repeating: 0, count: weights.count)
        for (group, members) in groups.enumerated() {
            for (place, member) in members.enumerated() { shares[member] = split[group][place] }
        }
        return shares
    }

    /// The replicas that may stay: no more than wanted, no two in a zone when that is a rule; the owner before others.
    private func kept(_ set: [Int]) -> [Int] {
        var kept: [Int] = []
        for member in set where kept.count < replicas && fits(member, into: kept) { kept.append(member) }
        return kept
    }

    private func fits(_ member: Int, into set: [Int]) -> Bool {
        !set.contains(member) && !(zonesAreHard && set.contains { zones[$0] == zones[member] })
    }

    private mutating func score(_ member: Int, _ shard: Int) -> UInt64 {
        if scores[member].isEmpty {
            let id = ids[member].bytes
            scores[member] = (0..<Self.shardCount).map { shard in
                SipHash.hash(
                    id + [UInt8(truncatingIfNeeded: shard >> 8), UInt8(truncatingIfNeeded: shard)], seed: seed)
            }
        }
        return scores[member][shard]
    }

    // MARK: Copies

    /// Gives every shard as many replicas as wanted.
    mutating func refill() {
        for shard in 0..<Self.shardCount {
            while sets[shard].count < replicas, let member = lightest(for: shard) {
                sets[shard].append(member)
                loads[member] += 1
            }
        }
    }

    /// The member that should get the next copy of a shard: one that is on its way already, then one of a new zone, then
    /// the one that is furthest below its share, then the highest hash.
    private mutating func lightest(for shard: Int) -> Int? {
        var best: Int?
        var bestRank = (0, 0, Int.max)
        for member in ids.indices where fits(member, into: sets[shard]) {
            let isUnderway = learners[shard].contains(member)
            let isNear = !zonesAreHard && zoneCount > 1 && sets[shard].contains { zones[$0] == zones[member] }
            let rank = (isUnderway ? 0 : 1, isNear ? 1 : 0, loads[member] * PlacementShares.unit - shares[member])
            guard let chosen = best else {
                (best, bestRank) = (member, rank)
                continue
            }
            if rank < bestRank || rank == bestRank && score(member, shard) > score(chosen, shard) {
                (best, bestRank) = (member, rank)
            }
        }
        return best
    }

    /// How far a member is above its share.
    private func excess(_ member: Int) -> Int { loads[member] * PlacementShares.unit - shares[member] }

    /// Moves copies from the fullest to the emptiest until that no longer makes the two more alike.
    mutating func balanceCopies() {
        var holdings = ids.map { _ in [Int]() }
        for shard in 0..<Self.shardCount {
            for member in sets[shard] { holdings[member].append(shard) }
        }
        var isMoving = true
        while isMoving {
            isMoving = false
            let byExcess = ids.indices.sorted { (excess($0), $0) < (excess($1), $1) }
            search: for source in byExcess.reversed() {
                for target in byExcess where excess(source) - excess(target) > PlacementShares.unit {
                    guard let shard = movable(from: source, to: target, holdings[source]) else { continue }
                    move(shard, from: source, to: target)
                    holdings[source].removeAll { $0 == shard }
                    holdings[target].append(shard)
                    isMoving = true
                    break search
                }
            }
        }
    }

    /// The shard that is best moved: one whose new member is on its way already, then one that the source does not own,
    /// then the one with the target's highest hash. When zones are a wish, none that would leave its last zone if
    /// others will do.
    private mutating func movable(from source: Int, to target: Int, _ shards: [Int]) -> Int? {
        var best: Int?
        var bestRank = (0, 0, 0)
        for shard in shards {
            let others = sets[shard].filter { $0 != source }
            guard fits(target, into: others) else { continue }
            let losesZone = zonesAreHard ? 0 : spread(others + [target]) < spread(sets[shard]) ? 1 : 0
            let rank = (losesZone, learners[shard].contains(target) ? 0 : 1, sets[shard].first == source ? 1 : 0)
            if let chosen = best, !(rank < bestRank || rank == bestRank && score(target, shard) > score(target, chosen))
            {
                continue
            }
            (best, bestRank) = (shard, rank)
        }
        return best
    }

    private func spread(_ set: [Int]) -> Int { zoneCount > 1 ? Set(set.map { zones[$0] }).count : 1 }

    private mutating func move(_ shard: Int, from source: Int, to target: Int) {
        guard let place = sets[shard].firstIndex(of: source) else { return }
        sets[shard][place] = target
        if place == 0, sets[shard].count > 1 {
            // The newcomer has nothing yet: who is there already owns.
            sets[shard].swapAt(0, 1)
        }
        loads[source] -= 1
        loads[target] += 1
    }

    // MARK: Owners

    /// Chooses owners so that each owns its share, by promotion along chains of replicas.
    mutating func balanceOwners() {
        var owners = OwnerBalance(
            sets: sets, weights: ids.indices.map { mayOwn[$0] ? weights[$0] : 0 })
        owners.balance()
        for shard in 0..<Self.shardCount {
            guard let place = sets[shard].firstIndex(of: owners.owners[shard]) else { continue }
            sets[shard].insert(sets[shard].remove(at: place), at: 0)
        }
    }

    /// The plan by shard.
    var result: [[NodeID]] { sets.map { $0.map { ids[$0] } } }

    // MARK: Registry

    /// The registry stays where it is as far as it can; others come by hash.
    func registry(_ entry: ShardEntry) -> [NodeID] {
        var set = kept(entry.replicas.compactMap { numbers[$0] })
        let ranked = ids.indices.map { member in
            (SipHash.hash(ids[member].bytes + [0x10, 0], seed: seed), member)
        }.sorted { $0 > $1 }.map(\.1)
        for member in ranked where set.count < replicas && fits(member, into: set) { set.append(member) }
        if let owner = set.firstIndex(where: { mayOwn[$0] }) { set.insert(set.remove(at: owner), at: 0) }
        return set.map { ids[$0] }
    }
}
