internal import Wire

/// How far a plan has come.
struct Scheme: Sendable {
    /// A candidate, and the one voter that hears it.
    struct Candidacy: Sendable {
        var candidate: Int
        var confidant: Int
        var term: UInt64
    }

    /// An owner that is cut off from all but one replica, which only hears it.
    struct Siege: Sendable {
        var owner: Int
        var replica: Int
        var until: Int64
        /// Who has got the replica's promise.
        var heir: Int?
    }

    let plan: NemesisPlan
    var dice: Dice
    /// Nothing new begins before.
    var restsUntil: Int64 = 0
    var candidacy: Candidacy?
    var siege: Siege?
    /// Entries of the log and changes of the placement that were struck at.
    var voterEntries: Set<UInt64> = []
    var placed: Set<UInt64> = []
    /// Coordinators that are still to be cut off as soon as they are elected, and the one that was last.
    var chain = 0
    var cutOff: Int?
    /// Shards of which more copies were lost than they can bear.
    var lostShards: Set<UInt16> = []
    /// Channels made by nobody in particular, to fill the log.
    var channels = 0

    init(plan: NemesisPlan, seed: UInt64) {
        self.plan = plan
        dice = Dice(seed: seed ^ 0x1405_7b7e_f767_814f)
    }
}
