/// The way to one peer on one plane: a DEALER that is only written to.
///
/// libzmq connects again by itself as long as the address stays and the peer lets us in; it gives up for good when the
/// peer refuses the key, and knows nothing of new addresses. So a link that stays unreachable is dialled anew.
final class MeshLink {
    /// How long a link may be unreachable before it is dialled anew, at first; doubles up to `redialMillisecondsMax`.
    static let redialMilliseconds: Int64 = 3000
    static let redialMillisecondsMax: Int64 = 24_000
    /// The same when the peer is heard, and so lives somewhere else or lets us in by now.
    static let redialHeardMilliseconds: Int64 = 1000

    let number: UInt64
    let plane: MeshPlane
    /// Where the peer says that it is.
    let endpoint: MeshEndpoint
    /// The same in its own words.
    let text: String
    let serverKey: PublicKey?
    private let bytesMax: Int
    private(set) var socket: Socket?
    private(set) var flight = SendFlight()
    private(set) var isReachable = false
    private(set) var dials = 0
    var isResolving = false
    private var unreachableSince: Int64
    private var patience = MeshLink.redialMilliseconds

    init(
        _ number: UInt64, _ plane: MeshPlane, _ endpoint: MeshEndpoint, text: String, serverKey: PublicKey?,
        bytesMax: Int,
        now: Int64
    ) {
        self.number = number
        self.plane = plane
        self.endpoint = endpoint
        self.text = text
        self.serverKey = serverKey
        self.bytesMax = bytesMax
        unreachableSince = now
    }

    func send(_ bytes: [UInt8]) -> Socket.SendResult {
        guard let socket else { return .unreachable }
        let result = socket.send(bytes, in: flight, bytesMax: bytesMax)
        if result == .sent { isReachable = true }
        // A full queue and a missing connection are the same error to libzmq.
        return result == .unreachable && flight.load.messages > 0 ? .full : result
    }

    /// Replaces the socket; what the old one still held is dropped.
    func use(_ new: Socket, now: Int64) {
        socket?.close()
        socket = new
        flight = SendFlight()
        dials += 1
        isReachable = false
        unreachableSince = now
    }

    func close() {
        socket?.close()
        socket = nil
    }

    /// Looks at the connection; true when the link is to be dialled anew.
    func look(now: Int64, isHeard: Bool) -> Bool {
        // With messages in flight there is a connection, however slow.
        isReachable = socket.map { $0.isWritable || flight.load.messages > 0 } ?? false
        guard !isReachable else {
            unreachableSince = now
            patience = Self.redialMilliseconds
            return false
        }
        guard !isResolving, now - unreachableSince >= (isHeard ? Self.redialHeardMilliseconds : patience) else {
            return false
        }
        unreachableSince = now
        patience = min(2 * patience, Self.redialMillisecondsMax)
        return true
    }
}
