internal import Wire

/// Who asked for something.
enum Caller: Hashable {
    /// A session of this node, by its serial.
    case session(UInt32)
    /// Another node, on behalf of a session of its own.
    case peer(PeerCall)
    /// One half of an event for a channel and an activity that have different owners; see `JointTable`.
    case joint(UInt64, Half)

    enum Half: Hashable {
        case channel
        case activity
    }
}

/// A request that another node has handed on, and what its answer must name.
struct PeerCall: Hashable {
    let node: NodeID
    let generation: UInt64
    let request: UInt64
    let session: UInt64
}

/// A caller on its way through Route.
struct Call {
    let caller: Caller
    /// The name in the caller's certificate.
    let user: [UInt8]
    /// How many nodes have handed the request on before this one.
    var hops: UInt8 = 0
}

/// What the node remembers of a request until it is answered.
struct PendingRequest {
    enum Kind {
        case publish
        case get
        case status
        case register(instance: UInt32?)
        case activity
        indirect case channel(ChannelRequest)
        case recovery

        /// Whether it changes nothing.
        var isQuestion: Bool {
            switch self {
            case .get, .status, .activity: true
            case .channel(let request): request.action == .list || request.action == .show
            case .publish, .register, .recovery: false
            }
        }
    }

    let sequence: Int64
    let kind: Kind
    /// Monotonic nanoseconds at which the request was taken.
    let takenAtNanoseconds: Int64
    var caller = Caller.session(0)
}

/// Requests under way, by the origin that the core carries along: session serial in the upper half (0 when another node
/// asks), then one bit that says whether receipts are wanted, then a serial of the request. Bounded by the credit of
/// the sessions, and by what other nodes let theirs have.
struct RequestTable {
    private var pending: [UInt64: PendingRequest] = [:]
    private var lastSerial: UInt32 = 0
    private static let receiptsBit: UInt64 = 1 << 31

    var count: Int { pending.count }

    mutating func add(_ request: PendingRequest, session: UInt32, receipts: Bool = false) -> UInt64 {
        lastSerial = (lastSerial &+ 1) & 0x7FFF_FFFF
        let origin = UInt64(session) << 32 | (receipts ? Self.receiptsBit : 0) | UInt64(lastSerial)
        pending[origin] = request
        return origin
    }

    mutating func take(_ origin: UInt64) -> PendingRequest? { pending.removeValue(forKey: origin) }

    static func session(of origin: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: origin >> 32) }
    static func wantsReceipts(_ origin: UInt64) -> Bool { origin & receiptsBit != 0 }
}
