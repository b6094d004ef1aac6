internal import Cluster
internal import Wire

/// Nodes that stop in good order.
extension World {
    mutating func plotDrains() {
        guard mayBegin(restMilliseconds: scheme.dice.between(4_000, 9_000)) else { return }
        let node = scheme.dice.below(nodes.count)
        guard !nodes[node].leaves else { return }
        nodes[node].leaves = nodes.count > 3 && scheme.dice.chance(perMille: 300)
        trace(node, nodes[node].leaves ? "leaves" : "drains")
        post(.input(.drain(isFinal: nodes[node].leaves)), to: node)
    }

    /// The process ends. Who has left for good comes back with an empty disk, as somebody else; if its copies are still
    /// counted on, it must come back as it was.
    mutating func endDrained(_ node: Int) {
        let hasLeft = nodes[node].leaves && !isCountedOn(node)
        if hasLeft, let id = nodes[node].core.record?.id { lostIdentities[id] = time }
        crash(node, downMilliseconds: scheme.dice.between(200, 3_000))
        guard hasLeft else { return }
        nodes[node].disk = SimulatedDisk()
        nodes[node].leaves = false
    }

    /// It has left and crashed before it knew; whoever started it again takes it away.
    mutating func hearsOfRemoval(_ node: Int) {
        guard nodes[node].leaves, !isCountedOn(node) else { return }
        plan(.drained(node, run: nodes[node].run), after: 0)
    }

    private func isCountedOn(_ node: Int) -> Bool {
        guard let id = nodes[node].core.record?.id, let leader else { return true }
        let state = nodes[leader].core.state
        guard state.members[id]?.isRemoved != true else { return false }
        return state.placement.entries.contains { $0.replicas.contains(id) || $0.former.contains(id) }
    }
}
