internal import Cluster
internal import LiveActivity
internal import Wire

/// What all plans have in common.
extension World {
    /// How often a plan looks around, in milliseconds.
    private static var planMilliseconds: Int64 { 200 }

    var hasPlan: Bool { scheme.plan != .none && !isHealed }

    mutating func beginPlan() {
        guard scheme.plan != .none else { return }
        agenda.plan(.scheme, at: 5_000)
    }

    /// Time to think.
    mutating func plot() {
        guard hasPlan else { return }
        plan(.scheme, after: Self.planMilliseconds)
        switch scheme.plan {
        case .votes: plotVotes()
        case .tails: plotTails()
        case .voters: plotVoters()
        case .fence: plotFence()
        case .moves: plotMoves()
        case .gaps: plotGaps()
        case .drains: plotDrains()
        case .losses: plotLosses()
        case .none, .clocks: break
        }
    }

    /// A control message is about to leave.
    mutating func overhear(_ message: ControlMessage, from node: Int, to target: Int) {
        guard hasPlan, case .consensus(let message) = message else { return }
        switch scheme.plan {
        case .votes: overhearVotes(message, from: node, to: target)
        case .voters: overhearVoters(message, from: node)
        case .moves: overhearMoves(message, from: node)
        default: break
        }
    }

    /// A message about copies is about to leave; false when it gets lost.
    mutating func overhear(_ message: ReplicationMessage, from node: Int, to target: Int) -> Bool {
        guard hasPlan else { return true }
        switch scheme.plan {
        case .fence: overhearFence(message, from: node, to: target)
        case .gaps: return overhearGaps(message, from: node, to: target)
        default: break
        }
        return true
    }

    /// A node leads from now on.
    mutating func overhearElection(of node: Int) {
        if hasPlan, scheme.plan == .tails { chainElections(node) }
    }

    // MARK: Means

    /// The node that leads the newest term.
    var leader: Int? {
        nodes.indices.filter { nodes[$0].isUp && nodes[$0].core.isLeader }
            .max { nodes[$0].core.term < nodes[$1].core.term }
    }

    func nodeIndex(of id: NodeID) -> Int? { nodes.firstIndex { $0.core.record?.id == id } }

    /// Both directions between a node and some others.
    func links(_ node: Int, _ others: [Int]) -> [(Int, Int)] {
        others.filter { $0 != node }.flatMap { [(node, $0), ($0, node)] }
    }

    /// Whether a plan may begin something new; then it rests for a while.
    mutating func mayBegin(restMilliseconds: Int64) -> Bool {
        guard time >= scheme.restsUntil, nodes.allSatisfy(\.isUp), leader != nil else { return false }
        scheme.restsUntil = time + restMilliseconds
        return true
    }

    /// Somebody makes channels at this node, and removes some again.
    mutating func churnChannels(_ node: Int, _ count: Int) {
        for _ in 0..<count {
            scheme.channels += 1
            let isNew = !scheme.dice.chance(perMille: 300)
            let number = isNew ? scheme.channels : scheme.dice.below(scheme.channels)
            guard let key = Key(app: "shop", kind: .channel, name: "churn\(number)") else { continue }
            let origin = UInt64.max - UInt64(scheme.channels)
            post(
                .input(
                    .channel(
                        isNew
                            ? .create(origin: origin, app: 0, key: key, policy: .none)
                            : .delete(origin: origin, app: 0, key: key))), to: node)
        }
    }
}
