/// Remembers what has just happened where, so that faults hit at the worst moment.
struct Nemesis: Sendable {
    private(set) var leader: Int?
    private var leaderTerm: UInt64 = 0
    private(set) var electedAt: Int64 = .min
    private(set) var takenOverBy: Int?
    private(set) var takenOverAt: Int64 = .min
    private(set) var acknowledgedBy: Int?
    private(set) var acknowledgedAt: Int64 = .min
    private(set) var takeOvers = 0
    /// Disks that may still be lost for good.
    var disksToLose = 2
    /// It strikes no more often than the cluster can bear.
    var restsUntil: Int64 = 0

    /// A node says that it coordinates; true when that is new.
    mutating func elected(_ node: Int, _ term: UInt64, at time: Int64) -> Bool {
        guard term > leaderTerm else { return false }
        leader = node
        leaderTerm = term
        electedAt = time
        return true
    }

    mutating func takeOver(_ node: Int, at time: Int64) {
        takenOverBy = node
        takenOverAt = time
        takeOvers += 1
    }

    mutating func acknowledged(by node: Int, at time: Int64) {
        acknowledgedBy = node
        acknowledgedAt = time
    }

    /// Whether a sending loop stands still just now, between the check of its lease and the write.
    func pausesBetweenCheckAndWrite(_ dice: inout Dice, aimed: Bool) -> Bool {
        aimed && dice.chance(perMille: 4)
    }
}
