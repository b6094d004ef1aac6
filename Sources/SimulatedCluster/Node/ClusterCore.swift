internal import Cluster
internal import Codes
internal import Delivery
internal import Wire

/// What the world drives: the core of one node, without everything around it.
protocol ClusterCore: Sendable {
    /// Makes the core of a node before its rows are restored.
    static func make(_ seat: Seat, random: UInt64) -> Self
    /// Takes one row from disk; returns what is wrong with it.
    mutating func restore(kind: UInt8, key: [UInt8], value: [UInt8]) -> Fault?
    /// All rows were restored; returns what is wrong with them.
    mutating func finishRestore(randomBytes: [UInt8], now: Moment, into effects: inout [NodeEffect]) -> [Fault]
    /// Takes one input.
    mutating func handle(_ input: NodeInput, now: Moment, into effects: inout [NodeEffect])
    /// Ends a turn.
    mutating func endTurn(now: Moment, into effects: inout [NodeEffect])
    /// When a tick is due, in milliseconds since boot.
    var nextDeadline: Int64? { get }
    /// Who answers for a key.
    func route(_ key: Key, now: Moment) -> Routing
    /// Who answers for channels.
    func routeCoordinator() -> Routing
    /// The header of a frame to a member, or to an address of which no more is known.
    func header(to target: Member?) -> MeshHeader
    /// The node as it describes itself.
    var member: Member { get }
}

/// What a node's configuration says.
struct Seat: Sendable {
    var index: Int
    var nodes: Int
    var mutant: Mutant?

    static func name(_ index: Int) -> String { "n\(index + 1)" }
    static func control(_ index: Int) -> String { "tcp://n\(index + 1):1" }
    static func data(_ index: Int) -> String { "tcp://n\(index + 1):2" }

    var name: String { Self.name(index) }
    var control: String { Self.control(index) }
    var data: String { Self.data(index) }
}
