/// Where receipts of events go that other nodes handed on: by the origin that this node gave the event. A ring, since
/// nobody says when the last receipt was; an old route makes room for a new one, and its receipts are dropped.
struct ReceiptRoutes {
    static let capacity = 65_536

    private var routes: [UInt64: PeerCall] = [:]
    private var ring: [UInt64] = []
    private var next = 0

    subscript(origin: UInt64) -> PeerCall? { routes[origin] }

    mutating func add(_ origin: UInt64, _ call: PeerCall) {
        routes[origin] = call
        guard ring.count == Self.capacity else { return ring.append(origin) }
        if ring[next] != origin { routes[ring[next]] = nil }
        ring[next] = origin
        next = (next + 1) % Self.capacity
    }
}
