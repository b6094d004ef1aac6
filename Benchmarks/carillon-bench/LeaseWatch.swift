import Cluster
import Wire

/// Sees every change of the placement and tells those that took shards from a node whose lease was over from those that
/// were agreed on: an owner that hands over holds its lease meanwhile.
struct LeaseWatch {
    /// Terms that had a coordinator.
    var terms: Set<UInt64> = []
    /// How often each node lost shards because its lease was over.
    private(set) var losses: [Int]
    private var owners: [NodeID?] = []
    private var version: UInt64 = 0
    /// The end of the lease whose loss was counted last, of each node.
    private var counted: [Int64]

    init(nodes: Int = 16) {
        losses = Array(repeating: 0, count: nodes)
        counted = Array(repeating: .min, count: nodes)
    }

    /// Looks at what a node knows after its turn.
    mutating func placement(of index: Int, _ nodes: [LeaseWorld.Node], now: Int64) {
        let placement = nodes[index].core.state.placement
        guard placement.version > version else { return }
        version = placement.version
        let latest = placement.entries.map(\.owner)
        defer { owners = latest }
        guard owners.count == latest.count else { return }
        let changed = Set(zip(owners, latest).compactMap { before, after in before == after ? nil : before })
        for (place, node) in nodes.enumerated() {
            guard let id = node.core.record?.id, changed.contains(id), node.core.leaseUntil <= now,
                counted[place] != node.core.leaseUntil
            else { continue }
            counted[place] = node.core.leaseUntil
            losses[place] += 1
        }
    }

    /// Begins to count anew.
    mutating func reset() {
        terms = []
        losses = losses.map { _ in 0 }
    }
}
