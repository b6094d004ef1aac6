import LocalCluster
import Loops
import Testing

/// What goes wrong in a run, one thing each.
enum FaultScenario: String, CaseIterable, CustomTestStringConvertible {
    case killOwner = "kill -9 of an owner"
    case killCoordinator = "kill -9 of the coordinator"
    case killReplica = "kill -9 of a replica that is not the coordinator"
    case freezeOwner = "SIGSTOP of an owner for 10 s"
    case partition = "an owner cut off from everybody for 30 s"
    case oneWayPartition = "an owner that hears no node for 30 s, though they hear it"
    case cutFromPeers = "an owner cut off from its peers but not from APNs for 30 s"
    case cutFromAPNs = "an owner cut off from APNs but not from its peers for 30 s"
    case emptyDisk = "restart with the same name and an empty disk"
    case restartAll = "restart of all nodes at once"
    case join = "a node joins"
    case leave = "a node leaves for good"

    var testDescription: String { rawValue }

    /// Whether cables must be cut, for which hosts of their own are needed.
    var needsSpaces: Bool {
        switch self {
        case .partition, .oneWayPartition, .cutFromPeers, .cutFromAPNs: true
        default: false
        }
    }

    /// Nodes of the configuration; the first three vote.
    var nodes: Int { self == .join || self == .leave ? 4 : 3 }

    /// Nodes that run when the load begins.
    var firstNodes: Int { self == .join ? 3 : nodes }

    /// Nodes that are not there at the end.
    var missing: [String] { self == .leave ? ["n4"] : [] }

    /// Lets it happen to a cluster under load, and returns when the worst is over.
    func happen(to run: FaultRun) async throws {
        switch self {
        case .killOwner: try await killAndRestart(try run.owner(), run)
        case .killCoordinator: try await killAndRestart(try run.coordinator(), run)
        case .killReplica:
            let others = [try run.owner(), try run.coordinator()]
            let replica = try #require(run.cluster.nodes.map(\.name).first { !others.contains($0) })
            try await killAndRestart(replica, run)
        case .freezeOwner:
            let owner = try run.owner()
            run.ledger.mark()
            run.cluster.pauseNode(owner)
            run.hold(milliseconds: 10_000)
            run.cluster.resumeNode(owner)
            try run.waitUntilServed()
        case .partition, .oneWayPartition, .cutFromPeers, .cutFromAPNs: try await cut(run)
        case .emptyDisk:
            let owner = try run.owner()
            run.ledger.mark()
            run.cluster.killNode(owner)
            run.cluster.wipeNode(owner)
            try run.cluster.startNode(owner)
            try run.waitUntilServed()
        case .restartAll:
            run.ledger.mark()
            run.cluster.killNodes()
            try run.cluster.startNodes()
            try run.waitUntilServed()
        case .join:
            run.ledger.mark()
            try run.cluster.startNode("n4")
            try run.waitUntilServed()
        case .leave:
            run.ledger.mark()
            #expect(run.cluster.leaveNode("n4") == .exited(0))
            try run.waitUntilServed()
        }
    }

    private func killAndRestart(_ name: String, _ run: FaultRun) async throws {
        run.ledger.mark()
        run.cluster.killNode(name)
        try run.waitUntilServed()
        try run.cluster.startNode(name)
    }

    private func cut(_ run: FaultRun) async throws {
        let owner = try run.owner()
        let spaces = try #require(run.spaces)
        let (host, peers) = (run.host(of: owner), run.hosts(except: owner))
        run.ledger.mark()
        switch self {
        case .partition:
            try spaces.part([host], peers + [NetworkSpaces.simulator, NetworkSpaces.producer])
        case .oneWayPartition: try spaces.cut(host, from: peers)
        case .cutFromPeers: try spaces.part([host], peers)
        default: try spaces.part([host], [NetworkSpaces.simulator])
        }
        run.hold(milliseconds: 30_000)
        try spaces.heal()
        try run.waitUntilServed()
    }
}
