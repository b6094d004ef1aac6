/// How many copies each member should hold: by weight, but no zone more than one copy of every shard that it may hold.
///
/// In units of 1/65536 copies, so that shares are whole numbers and the same everywhere.
enum PlacementShares {
    static let unit = 1 << 16

    /// Splits `total` copies over `groups` of weights. A group takes at most `groupMax`, what is left over goes to the
    /// others.
    static func split(_ total: Int, groups: [[Int]], groupMax: Int) -> [[Int]] {
        let weights = groups.map { $0.reduce(0, +) }
        let shares = fill(total * unit, weights: weights, limits: groups.map { _ in groupMax * unit })
        return groups.indices.map { group in
            // Inside a zone nobody can hold more than one copy of a shard either.
            fill(shares[group], weights: groups[group], limits: groups[group].map { _ in memberMax * unit })
        }
    }

    /// Most copies that one member can hold: one of each shard.
    private static let memberMax = 4096

    /// Fills vessels in proportion to their weights; what does not fit into one goes to the others.
    private static func fill(_ amount: Int, weights: [Int], limits: [Int]) -> [Int] {
        var levels = Array(repeating: 0, count: weights.count)
        var open = weights.indices.filter { weights[$0] > 0 }
        var left = amount
        while left > 0, !open.isEmpty {
            let sum = open.reduce(0) { $0 + weights[$1] }
            let full = open.filter { left * weights[$0] / sum >= limits[$0] }
            guard !full.isEmpty else {
                for index in open { levels[index] = left * weights[index] / sum }
                break
            }
            for index in full {
                levels[index] = limits[index]
                left -= limits[index]
            }
            open.removeAll { full.contains($0) }
        }
        return levels
    }
}
