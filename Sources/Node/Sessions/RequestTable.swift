internal import Wire

/// What the node remembers of a request until it is answered.
struct PendingRequest {
    enum Kind {
        case publish
        case get
        case status
        case register(instance: UInt32?)
        case activity
        indirect case channel(ChannelRequest)
    }

    let sequence: Int64
    let kind: Kind
    /// Monotonic nanoseconds at which the request was taken.
    let takenAtNanoseconds: Int64
}

/// Requests under way, by the origin that the core carries along: session serial in the upper half, then one bit that
/// says whether receipts are wanted, then a serial of the request. Bounded by the credit of the sessions.
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
