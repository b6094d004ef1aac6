import Wire

/// What was proposed and is not seen in the state yet: not to be proposed again for a while.
struct PendingProposals: Sendable {
    /// What a proposal is about, other than the entry of a shard.
    enum Subject: Hashable {
        case admit(NodeID)
        case remove(NodeID)
        case describe(NodeID)
        case generation(NodeID)
        case voters
    }

    private let patience: Int64
    private var subjects: [Subject: Int64] = [:]
    private var places = Array(repeating: (epoch: UInt64(0), until: Int64.min), count: Placement.entryCount)
    private var confirms = Array(repeating: (epoch: UInt64(0), until: Int64.min), count: Placement.entryCount)
    private var handOvers = Array(repeating: (epoch: UInt64(0), until: Int64.min), count: Placement.entryCount)

    init(settings: CoordinatorSettings = CoordinatorSettings()) {
        patience = settings.mutant == .edgeTriggered ? Int64.max / 2 : settings.proposalMilliseconds
    }

    /// Whether to propose this now; from then on it is under way.
    mutating func start(_ subject: Subject, now: Int64) -> Bool {
        if let until = subjects[subject], now < until { return false }
        if subjects.count > 4096 { subjects = subjects.filter { $0.value > now } }
        subjects[subject] = now &+ patience
        return true
    }

    /// Whether to propose an entry of this epoch now.
    mutating func startPlace(_ shard: UInt16, epoch: UInt64, now: Int64) -> Bool {
        Self.start(&places[Int(shard)], epoch, now, patience)
    }

    /// Whether to propose that this epoch is confirmed now.
    mutating func startConfirm(_ shard: UInt16, epoch: UInt64, now: Int64) -> Bool {
        Self.start(&confirms[Int(shard)], epoch, now, patience)
    }

    /// Whether to ask the owner of this epoch now to let go.
    mutating func startHandOver(_ shard: UInt16, epoch: UInt64, now: Int64) -> Bool {
        Self.start(&handOvers[Int(shard)], epoch, now, patience)
    }

    private static func start(
        _ item: inout (epoch: UInt64, until: Int64), _ epoch: UInt64, _ now: Int64, _ patience: Int64
    ) -> Bool {
        if item.epoch == epoch, now < item.until { return false }
        item = (epoch, now &+ patience)
        return true
    }
}
