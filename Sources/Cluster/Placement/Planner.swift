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
    /// Wanted copies, in units of 1/65536.
    private let shares: [Int]
    private var numbers: [NodeID: Int] = [:]
    /// Members of each shard; the owner first once owners are chosen.
    private var sets: [[Int]] = []
    /// The members that have a copy already.
    private var holders: [[Int]] = []
    private var loads: [Int]
    /// Members that are already on their way to a shard.
    private var learners: [[Int]] = []
    private let memberHashes: [UInt64]
    private let shardHashes: [UInt64]

    init(current: Placement, candidates: [PlacementPlan.Candidate], replicas count: Int, seed: (UInt64, UInt64)) {
        ids = candidates.map(\.id)
        mayOwn = candidates.map(\.mayOwn)
        weights = candidates.map { Int($0.weight) }
        replicas = min(count, candidates.count)
        let names = Set(candidates.map(\.zone)).sorted()
        let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
        zones = candidates.map { places[$0.zone] ?? 0 }
        zoneCount = names.count
        shares = Self.shares(weights: weights, zones: zones, zoneCount: zoneCount, replicas: replicas)
        loads = Array(repeating: 0, count: candidates.count)
        memberHashes = candidates.map { SipHash.hash($0.id.bytes, seed: seed) }
        shardHashes = (0...Self.shardCount).map { shard in
            SipHash.hash([UInt8(truncatingIfNeeded: shard >> 8), UInt8(truncatingIfNeeded: shard)], seed: seed)
        }
        numbers = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        for shard in 0..<Self.shardCount {
            let entry = current[UInt16(shard)]
            let set = kept(entry.replicas.compactMap { numbers[$0] })
            sets.append(set)
            learners.append(entry.learners.compactMap { numbers[$0] })
            for member in set { loads[member] += 1 }
        }
        holders = sets
    }

    /// Zones are a rule that holds when there are enough of them, and a wish otherwise.
    private var zonesAreHard: Bool { zoneCount >= replicas && zoneCount > 1 }
    private var zonesAreAWish: Bool { zoneCount < replicas && zoneCount > 1 }

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

    /// Rendezvous hashing: the member with the highest score is a shard's first choice. SipHash of both, mixed as
    /// SplitMix64 does.
    private func score(_ member: Int, _ shard: Int) -> UInt64 {
        var mixed = memberHashes[member] ^ shardHashes[shard]
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
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

    /// The member that should get the next copy of a shard: one that is on its way already, then one of a new zone,
    /// then the one that is furthest below its share, then the highest score.
    private func lightest(for shard: Int) -> Int? {
        var best: Int?
        var bestRank = Int.max
        for member in ids.indices where fits(member, into: sets[shard]) {
            var rank = excess(member)
            if !learners[shard].contains(member) { rank += Self.step * 2 }
            if isNear(member, sets[shard]) { rank += Self.step }
            if rank > bestRank { continue }
            if let chosen = best, rank == bestRank, score(member, shard) < score(chosen, shard) { continue }
            (best, bestRank) = (member, rank)
        }
        return best
    }

    /// More than any excess.
    private static let step = 1 << 40

    /// Whether the set has somebody in the member's zone although zones are a wish.
    private func isNear(_ member: Int, _ set: [Int]) -> Bool {
        zonesAreAWish && set.contains { zones[$0] == zones[member] }
    }

    /// How far a member is above its share.
    private func excess(_ member: Int) -> Int { loads[member] * PlacementShares.unit - shares[member] }

    /// Moves copies from the fullest to the emptiest until that no longer makes the two more alike.
    mutating func balanceCopies() {
        var holdings = ids.map { _ in [Int]() }
        for shard in 0..<Self.shardCount {
            for member in sets[shard] { holdings[member].append(shard) }
        }
        var queues: [Int: [Int]] = [:]
        while moveOne(holdings, &queues) {}
    }

    /// Moves one copy. `queues` keeps, for a source and a target, the shards that may move, the best one last.
    private mutating func moveOne(_ holdings: [[Int]], _ queues: inout [Int: [Int]]) -> Bool {
        let byExcess = ids.indices.sorted { (excess($0), $0) < (excess($1), $1) }
        for source in byExcess.reversed() {
            for target in byExcess {
                guard excess(source) - excess(target) > PlacementShares.unit else { break }
                let pair = source * ids.count + target
                if queues[pair] == nil { queues[pair] = movable(from: source, to: target, holdings[source]) }
                while let shard = queues[pair]?.popLast() {
                    guard canMove(shard, from: source, to: target) else { continue }
                    move(shard, from: source, to: target)
                    return true
                }
            }
        }
        return false
    }

    /// The shards that may move, the best last: one that the source was to get and has no copy of, then one whose new
    /// member is on its way already, then one that the source does not own, then the one with the target's highest
    /// score. When zones are a wish, those that would leave a zone come before all others.
    private func movable(from source: Int, to target: Int, _ shards: [Int]) -> [Int] {
        let ranked = shards.filter { canMove($0, from: source, to: target) }.map { shard in
            var rank = 0
            if sets[shard].first != source { rank += 1 }
            if learners[shard].contains(target) { rank += 2 }
            if !holders[shard].contains(source) { rank += 4 }
            if !losesZone(shard, from: source, to: target) { rank += 8 }
            return (rank: rank, score: score(target, shard), shard: shard)
        }
        return ranked.sorted { ($0.rank, $0.score, $0.shard) < ($1.rank, $1.score, $1.shard) }.map(\.shard)
    }

    private func canMove(_ shard: Int, from source: Int, to target: Int) -> Bool {
        var isHeld = false
        for member in sets[shard] {
            if member == target { return false }
            if member == source {
                isHeld = true
            } else if zonesAreHard, zones[member] == zones[target] {
                return false
            }
        }
        return isHeld
    }

    private func losesZone(_ shard: Int, from source: Int, to target: Int) -> Bool {
        guard zonesAreAWish, zones[source] != zones[target] else { return false }
        let others = sets[shard].filter { $0 != source }.map { zones[$0] }
        return !others.contains(zones[source]) && others.contains(zones[target])
    }

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
            (score(member, Self.shardCount), member)
        }.sorted { $0 > $1 }.map(\.1)
        for member in ranked where set.count < replicas && fits(member, into: set) { set.append(member) }
        if let owner = set.firstIndex(where: { mayOwn[$0] }) { set.insert(set.remove(at: owner), at: 0) }
        return set.map { ids[$0] }
    }
}
