internal import Cluster
internal import Delivery
internal import Wire

/// All promises that are watched while a world runs. Most see what nodes say to each other and to APNs; `log` and
/// `copies` see what is true of all nodes.
struct Checks: Sendable {
    typealias Problem = (Violation.Invariant, String)

    let nodes: Int
    var consensus = ConsensusChecks()
    var membership = MembershipChecks()
    var shards = ShardChecks()
    var leases: LeaseChecks
    var deliveries = DeliveryChecks()
    var channels = ChannelChecks()
    var states = StateChecks()
    var log: LogChecks
    var copies: CopyChecks
    var placement: PlacementChecks

    /// `watched`: shards with something in them; `placed`: all that are given to anybody.
    init(nodes: Int, watched: [UInt16], placed: [UInt16], rebalanceAfterMilliseconds: Int64) {
        self.nodes = nodes
        log = LogChecks(nodes: nodes)
        copies = CopyChecks(nodes: nodes, watched: watched)
        leases = LeaseChecks(nodes: nodes)
        placement = PlacementChecks(shards: placed, rebalanceAfterMilliseconds: rebalanceAfterMilliseconds)
    }

    /// A node has started.
    mutating func started(_ core: borrowing NodeCore, on node: Int) -> Problem? {
        let member = core.member
        leases.started(node)
        log.started(node, at: core.stateIndex)
        copies.started(node)
        return membership.started(member, on: node)
    }

    /// A node sends a control message.
    mutating func sent(_ message: ControlMessage, _ header: MeshHeader, by node: Int, at time: Int64) -> Problem? {
        switch message {
        case .membership(let message): return membership.sent(message, header)
        case .consensus(let message): return consensus.sent(message, header)
        case .coordination(.leaseRequest(let request, _, _)): leases.asks(node, request, at: time)
        case .coordination: break
        }
        return nil
    }

    /// A node sends a message about copies.
    mutating func sent(_ message: ReplicationMessage, _ header: MeshHeader, by node: Int) -> Problem? {
        shards.sent(message, header)
    }

    /// A message reached its receiver's mailbox.
    mutating func arrived(_ parcel: Parcel, at time: Int64) {
        guard case .control(let message) = parcel.content else { return }
        leases.arrived(message, from: parcel.from, to: parcel.to, at: time)
    }

    /// A request leaves for APNs.
    mutating func written(_ mark: EventMark, _ item: PushItem, wallMilliseconds: Int64) -> Problem? {
        deliveries.written(mark, item, wallMilliseconds: wallMilliseconds)
    }

    /// A request is at APNs; whether it is the newest of its destination.
    mutating func arrived(_ item: PushItem, at place: Destination) -> Bool { deliveries.arrived(item, at: place) }
}
