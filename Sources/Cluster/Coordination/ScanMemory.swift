import Wire

/// What a look at all shards depends on: while it stays the same and nothing was to be done, nothing is to be done.
struct ScanKey: Hashable {
    var placement: UInt64
    var facts: UInt64
    var abilities: [NodeID: Situation.Ability]
    var candidates: [PlacementPlan.Candidate]
    var replicas: Int
}

/// What looks at shards have found: shards that need no further look until their entry or the members change.
struct ScanMemory: Sendable {
    private var abilities: [NodeID: Situation.Ability] = [:]
    private var candidates: [PlacementPlan.Candidate] = []
    private var replicas = 0
    /// Epochs at which shards were as they should be; 0: not known.
    private var calm = [UInt64](repeating: 0, count: Placement.entryCount)
    /// Epochs at which shards were to get new copies and found no room among the moves.
    private var deferred = [UInt64](repeating: 0, count: Placement.entryCount)

    /// Forgets what was found of other members.
    mutating func follow(_ key: ScanKey) {
        guard key.abilities != abilities || key.candidates != candidates || key.replicas != replicas else { return }
        self = ScanMemory()
        (abilities, candidates, replicas) = (key.abilities, key.candidates, key.replicas)
    }

    func isCalm(_ index: Int, epoch: UInt64) -> Bool { epoch != 0 && calm[index] == epoch }
    func isDeferred(_ index: Int, epoch: UInt64) -> Bool { epoch != 0 && deferred[index] == epoch }
    mutating func noteCalm(_ index: Int, epoch: UInt64) { calm[index] = epoch }
    mutating func noteDeferred(_ index: Int, epoch: UInt64) { deferred[index] = epoch }
}
