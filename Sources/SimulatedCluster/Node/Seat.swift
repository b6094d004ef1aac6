internal import Cluster
internal import Delivery
internal import Wire

/// What a node's configuration says.
struct Seat: Sendable {
    var index: Int
    var nodes: Int
    var zone = ""
    var mutant: Mutant?
    /// The shards that are placed; nil: all.
    var shards: Set<UInt16>?
    var plan = NemesisPlan.none

    static func name(_ index: Int) -> String { "n\(index + 1)" }
    static func control(_ index: Int) -> String { "tcp://n\(index + 1):1" }
    static func data(_ index: Int) -> String { "tcp://n\(index + 1):2" }

    /// How many of the nodes vote.
    static func voters(of nodes: Int) -> Int { nodes < 3 ? 1 : nodes < 5 ? 3 : 5 }

    /// How long a member is dead before its copies are made elsewhere.
    static func rebalanceMilliseconds(_ plan: NemesisPlan) -> Int64 { plan == .moves ? 1_500 : 20_000 }

    private var description: NodeDescription {
        NodeDescription(
            name: Self.name(index), zone: zone, control: Self.control(index), data: Self.data(index), producers: "")
    }

    private var settings: NodeCoreSettings {
        var core = CoreSettings(apps: ["shop"])
        core.storeRetryMilliseconds = 200
        core.mutant = mutant
        var settings = NodeCoreSettings(
            core: core, clusterName: "world", voters: (0..<Self.voters(of: nodes)).map(Self.name),
            seeds: (0..<nodes).filter { $0 != index }.map { Seed(name: Self.name($0), control: Self.control($0)) })
        settings.membership.mutant = mutant
        settings.consensus.mutant = mutant
        settings.coordinator.mutant = mutant
        settings.coordinator.placedOnly = shards
        settings.coordinator.rebalanceAfterMilliseconds = Self.rebalanceMilliseconds(plan)
        settings.shards.mutant = mutant
        settings.shards.digestMilliseconds = 10_000
        settings.logEntriesKept = 64
        settings.mutant = mutant
        suit(&settings)
        return settings
    }

    /// Settings that give a plan more occasions.
    private func suit(_ settings: inout NodeCoreSettings) {
        switch plan {
        case .tails:
            settings.logEntriesKept = 3
            settings.consensus.keptEntriesMax = 2
        case .moves:
            settings.coordinator.promoteAfterMilliseconds = 1_000
            settings.coordinator.flapMilliseconds = 1_500
            settings.coordinator.brakeMilliseconds = 500
        default: break
        }
    }

    /// The node's core, before its rows are restored.
    func makeCore(random: UInt64) -> NodeCore {
        NodeCore(settings: settings, description: description, random: random)
    }
}

extension NodeCore {
    /// The header of a frame to a member, or to an address of which no more is known.
    func header(to target: Member?) -> MeshHeader {
        MeshHeader(
            cluster: charter?.cluster ?? .none, sender: record?.id ?? .none, generation: record?.generation ?? 0,
            target: target?.id ?? .none, targetGeneration: target?.incarnation.generation ?? 0)
    }

    /// The node as it describes itself at its start.
    var member: Member {
        Member(
            id: record?.id ?? .none, incarnation: Incarnation(generation: record?.generation ?? 0),
            name: description.name, control: description.control, data: description.data)
    }
}
