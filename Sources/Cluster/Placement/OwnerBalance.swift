/// Balances who of each shard's replicas owns it. Moves no data: an owner is only exchanged for another replica.
struct OwnerBalance {
    private let sets: [[Int]]
    /// Wanted shards, in units of 1/65536; 0: may own nothing.
    private let shares: [Int]
    private(set) var owners: [Int]
    /// Members that may own.
    private let willingCount: Int
    private var counts: [Int]
    private var owned: [[Int]]

    /// The owners of the beginning are the first members of the sets, as far as they may own.
    init(sets: [[Int]], weights: [Int]) {
        self.sets = sets
        let sum = max(1, weights.reduce(0, +))
        shares = weights.map { sets.count * PlacementShares.unit * $0 / sum }
        willingCount = shares.count { $0 > 0 }
        owners = sets.map { set in set.first.map { weights[$0] > 0 } ?? false ? set[0] : -1 }
        counts = weights.map { _ in 0 }
        owned = weights.map { _ in [] }
        for owner in owners where owner >= 0 { counts[owner] += 1 }
        chooseMissing()
        for shard in sets.indices where owners[shard] >= 0 { owned[owners[shard]].append(shard) }
    }

    private func excess(_ member: Int) -> Int { counts[member] * PlacementShares.unit - shares[member] }

    private mutating func chooseMissing() {
        for shard in sets.indices where owners[shard] < 0 {
            let willing = sets[shard].filter { shares[$0] > 0 }
            guard let owner = willing.min(by: { (excess($0), $0) < (excess($1), $1) }) else { continue }
            owners[shard] = owner
            counts[owner] += 1
        }
    }

    /// Exchanges owners until nobody can give to anyone with less through any chain of replicas.
    mutating func balance() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for source in shares.indices.sorted(by: { (excess($1), $0) < (excess($0), $1) }) where relieve(source) {
                isMoving = true
                break
            }
        }
    }

    /// Searches, breadth first, the members that `source` could give a shard to through others; gives along the way to
    /// the emptiest. False when that would make nothing more even.
    private mutating func relieve(_ source: Int) -> Bool {
        guard counts[source] > 0 else { return false }
        var from = Array(repeating: -1, count: shares.count)
        var by = Array(repeating: -1, count: shares.count)
        var queue = [source]
        var next = 0
        var target = source
        // Few shards lead to every member, so most need no look.
        var unseen = willingCount - (shares[source] > 0 ? 1 : 0)
        while next < queue.count, unseen > 0 {
            let member = queue[next]
            next += 1
            for shard in owned[member] {
                guard unseen > 0 else { break }
                for other in sets[shard] where other != source && from[other] < 0 && shares[other] > 0 {
                    from[other] = member
                    by[other] = shard
                    queue.append(other)
                    unseen -= 1
                    if excess(other) < excess(target) { target = other }
                }
            }
        }
        guard excess(source) - excess(target) > PlacementShares.unit else { return false }
        while target != source {
            give(by[target], from: from[target], to: target)
            target = from[target]
        }
        return true
    }

    private mutating func give(_ shard: Int, from source: Int, to target: Int) {
        owners[shard] = target
        counts[source] -= 1
        counts[target] += 1
        if let place = owned[source].firstIndex(of: shard) { owned[source].swapAt(place, owned[source].count - 1) }
        owned[source].removeLast()
        owned[target].append(shard)
    }
}
