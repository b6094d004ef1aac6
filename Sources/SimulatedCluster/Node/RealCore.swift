internal import Cluster
internal import Codes
internal import Delivery
internal import Wire

/// The core of a node as the product runs it.
struct RealCore: ClusterCore {
    private(set) var core: NodeCore

    static func make(_ seat: Seat, random: UInt64) -> RealCore {
        RealCore(core: NodeCore(settings: settings(seat), description: description(seat), random: random))
    }

    private static func description(_ seat: Seat) -> NodeDescription {
        NodeDescription(name: seat.name, control: seat.control, data: seat.data, producers: "")
    }

    private static func settings(_ seat: Seat) -> NodeCoreSettings {
        var core = CoreSettings(apps: ["shop"])
        core.storeRetryMilliseconds = 200
        core.mutant = seat.mutant
        let names = (0..<seat.nodes).map { Seat.name($0) }
        let others = (0..<seat.nodes).filter { $0 != seat.index }
        var settings = NodeCoreSettings(
            core: core, clusterName: "world", voters: Array(names.prefix(seat.nodes < 5 ? 3 : 5)),
            seeds: others.map { Seed(name: Seat.name($0), control: Seat.control($0)) })
        settings.consensus.mutant = seat.mutant
        settings.coordinator.mutant = seat.mutant
        settings.coordinator.rebalanceAfterMilliseconds = 20_000
        settings.shards.mutant = seat.mutant
        settings.shards.digestMilliseconds = 10_000
        settings.logEntriesKept = 64
        settings.mutant = seat.mutant
        return settings
    }

    mutating func restore(kind: UInt8, key: [UInt8], value: [UInt8]) -> Fault? {
        core.restore(kind: kind, key: key, value: value)
    }

    mutating func finishRestore(
        randomBytes: [UInt8], now: Moment, into effects: inout [NodeEffect]
    ) -> [Fault] {
        core.finishRestore(randomBytes: randomBytes, now: now, into: &effects)
    }

    mutating func handle(_ input: NodeInput, now: Moment, into effects: inout [NodeEffect]) {
        core.handle(input, now: now, into: &effects)
    }

    mutating func endTurn(now: Moment, into effects: inout [NodeEffect]) { core.endTurn(now: now, into: &effects) }

    var nextDeadline: Int64? { core.nextDeadline }

    func route(_ key: Key, now: Moment) -> Routing { core.route(key, now: now) }

    func routeCoordinator() -> Routing { core.routeCoordinator() }

    func header(to target: Member?) -> MeshHeader {
        MeshHeader(
            cluster: core.charter?.cluster ?? .none, sender: core.record?.id ?? .none,
            generation: core.record?.generation ?? 0, target: target?.id ?? .none,
            targetGeneration: target?.incarnation.generation ?? 0)
    }

    var member: Member {
        Member(
            id: core.record?.id ?? .none, incarnation: Incarnation(generation: core.record?.generation ?? 0),
            name: core.description.name, control: core.description.control, data: core.description.data)
    }
}
