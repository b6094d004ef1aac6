internal import Cluster
internal import Wire

/// I4 and part of I22: what the log has built is the same on all nodes at the same place of the log, and what a core
/// holds back is bounded.
struct StateChecks: Sendable {
    private static let heldBackMax = 100_000
    /// Every so many places of the log are compared.
    private static let every: UInt64 = 4

    private var seen: [Int: UInt64] = [:]
    private var hashes: [UInt64: UInt64] = [:]

    /// A core has ended a turn.
    mutating func turned(_ core: borrowing NodeCore, on node: Int) -> Checks.Problem? {
        guard core.heldBackCount < Self.heldBackMax else {
            return (.queuesAreBounded, "\(core.heldBackCount) effects wait for the disk")
        }
        let index = core.stateIndex
        guard index % Self.every == 0, index > 0, seen[node] != index else { return nil }
        seen[node] = index
        let hash = Self.hash(core.state)
        guard let before = hashes[index] else {
            hashes[index] = hash
            return nil
        }
        return before == hash ? nil : (.stateMachineSafety, "its state at entry \(index) is another than elsewhere")
    }

    private static func hash(_ state: ClusterState) -> UInt64 {
        var hash = TraceHash()
        hash.mix(state.channels.count)
        for entry in state.placement.entries {
            hash.mix(entry.epoch)
            hash.mix(entry.former.count)
            for replica in entry.replicas { hash.mix(replica.low) }
        }
        return hash.value
    }
}
