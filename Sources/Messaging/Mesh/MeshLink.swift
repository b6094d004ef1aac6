/// The way to one peer on one plane: a DEALER that is only written to.
///
/// libzmq connects again by itself as long as the address stays and the peer lets us in; it gives up for good when the
/// peer refuses the key, and knows nothing of new addresses. So a link that stays unreachable is dialled anew.
///
/// A name may have several addresses, and some of them may be nobody's: those of a run before, or of a family that does
/// not get through. They are tried one after the other at a steady pace. A name may also have none yet, or other ones
/// soon: it is asked for again at a steady pace, which costs only a question.
final class MeshLink {
    /// How long a link may be unreachable before it is dialled anew, at first; doubles up to `redialMillisecondsMax`.
    static let redialMilliseconds: Int64 = 3000
    static let redialMillisecondsMax: Int64 = 24_000
    /// The same when the peer is heard, and so lives somewhere else or lets us in by now.
    static let redialHeardMilliseconds: Int64 = 1000
    /// How long one address of several gets: four ways to and fro, and a slow machine.
    static let tryMilliseconds: Int64 = 1500
    /// Between two questions for the name of a peer that is not reachable.
    static let askMilliseconds: Int64 = 2000
    /// Most addresses of a name that are tried.
    static let addressesMax = 16

    /// What is to be done about a link.
    enum Step: Equatable {
        case nothing
        case dial(MeshEndpoint)
        /// Ask where the name is now.
        case ask
    }

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
    private(set) var isResolving = false
    /// The name's last addresses, and those of them that are still to be tried.
    private var addresses: [MeshEndpoint] = []
    private var candidates: ArraySlice<MeshEndpoint> = []
    /// Whatever the answer is, it is dialled.
    private var mustDial = false
    private var triedAt: Int64
    private var askedAt: Int64
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
        (triedAt, askedAt) = (now, now)
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
        isReachable = false
        triedAt = now
    }

    func close() {
        socket?.close()
        socket = nil
    }

    // MARK: Finding the peer

    /// Where to begin: now, and whatever is connected.
    func start() -> Step {
        mustDial = true
        return endpoint.isNumeric ? .dial(endpoint) : .ask
    }

    /// Looks at the connection and says what is to be done about it.
    func look(now: Int64, isHeard: Bool) -> Step {
        // With messages in flight there is a connection, however slow.
        isReachable = socket.map { $0.isWritable || flight.load.messages > 0 } ?? false
        guard !isReachable else {
            triedAt = now
            patience = Self.redialMilliseconds
            candidates = []
            return .nothing
        }
        guard !isResolving else { return .nothing }
        if let next = candidates.first {
            guard now - triedAt >= Self.tryMilliseconds else { return .nothing }
            candidates.removeFirst()
            return .dial(next)
        }
        if now - triedAt >= (isHeard ? Self.redialHeardMilliseconds : patience) {
            triedAt = now
            patience = min(2 * patience, Self.redialMillisecondsMax)
            return start()
        }
        return !endpoint.isNumeric && now - askedAt >= Self.askMilliseconds ? .ask : .nothing
    }

    /// The name is being asked for.
    func asked(now: Int64) {
        isResolving = true
        askedAt = now
    }

    /// The answer, which may be empty.
    func resolved(_ answer: [MeshEndpoint], now: Int64) -> Step {
        isResolving = false
        askedAt = now
        let found = Array(answer.prefix(Self.addressesMax))
        guard !found.isEmpty else { return .nothing }
        let known = addresses
        addresses = found
        let fresh = found.filter { !known.contains($0) }
        // The peer that is not where it was is most likely where nobody was.
        guard mustDial || !fresh.isEmpty && !isReachable else { return .nothing }
        mustDial = false
        let ordered = fresh + found.filter(known.contains)
        candidates = ordered.dropFirst()
        return .dial(ordered[0])
    }
}
