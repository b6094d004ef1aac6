public import Wire

/// What the placement should be for these members: a pure function, the same on every coordinator.
///
/// Missing replicas go to the least loaded members (rendezvous hashing breaks ties), copies move from the fullest to
/// the emptiest until no member holds more than its share, then owners are balanced by promotion inside the replica
/// sets, which moves no data. Nothing else moves.
public struct PlacementPlan: Hashable, Sendable {
    /// A member that may hold copies.
    public struct Candidate: Hashable, Sendable {
        /// Who it is.
        public var id: NodeID
        /// Its share relative to others; 0 takes none.
        public var weight: UInt16
        /// Failure domain.
        public var zone: String
        /// Whether it may own shards.
        public var mayOwn: Bool

        /// Makes a candidate.
        public init(id: NodeID, weight: UInt16 = 100, zone: String = "", mayOwn: Bool = true) {
            self.id = id
            self.weight = weight
            self.zone = zone
            self.mayOwn = mayOwn
        }

        /// As if it were in no zone.
        var anywhere: Candidate { Candidate(id: id, weight: weight, mayOwn: mayOwn) }
    }

    /// The wanted replicas by shard, the owner first; the registry's are the last. Empty lists when there is nobody.
    public let replicas: [[NodeID]]

    /// Makes the plan. The order of `candidates` does not matter; `seed` is the charter's.
    /// `mutant` is a fault that the simulation must find.
    public init(
        current: Placement, candidates: [Candidate], replicas count: Int, seed: (UInt64, UInt64), mutant: Mutant? = nil
    ) {
        let holders = candidates.filter { $0.weight > 0 }.sorted { $0.id < $1.id }
        guard !holders.isEmpty, count > 0 else {
            replicas = Array(repeating: [], count: Placement.entryCount)
            return
        }
        var planner = Planner(
            current: mutant == .planFromNothing ? Placement() : current,
            candidates: mutant == .zonesIgnored ? holders.map(\.anywhere) : holders, replicas: count, seed: seed)
        planner.refill()
        planner.balanceCopies()
        planner.balanceOwners()
        replicas = planner.result + [planner.registry(current[Shard.registry])]
    }

    /// The wanted replicas of a shard.
    public subscript(shard: UInt16) -> [NodeID] {
        Int(shard) < replicas.count ? replicas[Int(shard)] : []
    }
}
