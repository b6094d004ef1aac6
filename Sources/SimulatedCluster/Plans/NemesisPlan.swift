/// What a world has in mind besides its faults: a sequence of blows that waits for its moment. Chance alone would
/// hardly ever bring such a sequence about. About half of the seeds have one.
public enum NemesisPlan: String, CaseIterable, Sendable {
    /// No more than the faults.
    case none
    /// A voter that has just given its vote crashes, the candidate is cut off, and others stand in the same term.
    case votes
    /// A coordinator is cut off with entries that nobody else has; snapshots come often.
    case tails
    /// Voters lose their disks, and all disks fail while voters change.
    case voters
    /// A replica that has just promised a new epoch hears its old owner again and nobody else.
    case fence
    /// Copies move all the time, and an owner is cut off with the replica that goes when the set changes.
    case moves
    /// Rows that bring a replica in step are lost.
    case gaps
    /// Nodes are told to stop or to leave for good, and come back.
    case drains
    /// A clock is far off, the others run at different rates.
    case clocks
    /// More disks are lost than the copies can bear; an operator accepts it in the end.
    case losses

    /// The plan of a seed for so many nodes.
    static func drawn(seed: UInt64, nodes: Int) -> NemesisPlan {
        // Its own dice: seeds without a plan are what they would be if there were none.
        var dice = Dice(seed: seed ^ 0x5851_f42d_4c95_7f2d)
        guard dice.chance(perMille: 500) else { return .none }
        let possible = allCases.filter { $0 != .none && nodes >= $0.nodesMin }
        return possible.isEmpty ? .none : possible[dice.below(possible.count)]
    }

    /// Faults that would mostly spoil the plan; half of its seeds go without.
    var disturbing: FaultKinds {
        switch self {
        case .none, .clocks, .gaps: []
        case .votes, .tails, .voters, .fence, .moves, .drains, .losses:
            [.cuts, .crashes, .restarts, .pauses, .stalls, .lostDisks, .failingDisks, .aimed]
        }
    }

    /// With three voters there is no coordinator without two disks.
    var nodesMin: Int { self == .moves || self == .losses ? 5 : 3 }
}
