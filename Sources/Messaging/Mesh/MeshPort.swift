public import Codes
import Loops

/// A node's sockets towards the other nodes: bytes in and out, with everything that goes wrong counted.
///
/// On each plane one ROUTER is bound and only read from, and each peer has one DEALER that is only written to; an
/// answer travels on the way to its asker. Nothing is queued for a peer that is not connected, and nothing ever waits:
/// what cannot be sent now is lost, and the protocols repeat or repair it. Peers are known by the name in their
/// certificate.
///
/// Threads: the core, which owns the sockets.
public final class MeshPort {
    /// Longest frame in bytes; the connection of a peer that sends a longer one is cut.
    public static let frameBytesMax: Int64 = 4 << 20
    /// Most peers. Each takes two sockets of the context, which must be made for so many.
    public static let peersMax = 1000

    /// What became of a send.
    public enum SendResult: Sendable, Equatable {
        /// libzmq has it; it may still be lost with the connection.
        case sent
        /// Too much waits for the peer already.
        case full
        /// The peer is not connected.
        case unreachable
        /// Nobody said where the peer is, or its certificate is missing.
        case unknown
    }

    /// A received message.
    public struct Message: Sendable {
        /// The frame.
        public let bytes: [UInt8]
        /// Name in the certificate of the connection; empty without encryption.
        public let name: String
    }

    final class Peer {
        var control: MeshLink?
        var data: MeshLink?
        var endpoints: [MeshPlane: String] = [:]
        var isHeard = false

        subscript(plane: MeshPlane) -> MeshLink? {
            get { plane == .control ? control : data }
            set { if plane == .control { control = newValue } else { data = newValue } }
        }
    }

    /// One plane's ROUTER.
    final class Inlet {
        let endpoint: String
        let socket: Socket
        let monitor: SocketMonitor
        var buffer = Multipart()
        var statistics = MeshStatistics()

        init(_ plane: MeshPlane, context: MessagingContext, settings: MeshSettings) throws(Fault) {
            var options = MeshPort.options(plane, settings)
            options.routerHandover = true
            if let security = settings.security {
                options.security = .server(certificate: security.certificate, domain: MeshSettings.Security.domain)
            }
            socket = try Socket(.router, context: context, options: options)
            monitor = try SocketMonitor(socket, context: context)
            endpoint = try socket.bind(plane == .control ? settings.control : settings.data)
        }
    }

    let context: MessagingContext
    let settings: MeshSettings
    let control: Inlet
    let data: Inlet
    let resolver: MeshResolver
    var peers: [String: Peer] = [:]
    var senders: MeshGuard
    var linksMade: UInt64 = 0
    var resolving: [UInt64: String] = [:]
    var answers: [MeshResolver.Answer] = []
    var looksAt: Int64 = 0
    var readsMonitorsAt: Int64 = 0

    /// Binds both planes. With security an `Authenticator` must already run in `context` that lets nodes in.
    public init(context: MessagingContext, settings: MeshSettings) throws(Fault) {
        self.context = context
        self.settings = settings
        resolver = MeshResolver(settings.lookUp)
        senders = MeshGuard(settings.security?.allowList)
        _ = senders.refresh()
        control = try Inlet(.control, context: context, settings: settings)
        data = try Inlet(.data, context: context, settings: settings)
    }

    static func options(_ plane: MeshPlane, _ settings: MeshSettings) -> SocketOptions {
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        // A sender stops at its own bytes, so a plane with few messages in the receiver's queue is never short of any.
        options.sendHighWater = plane == .control ? 256 : 10_000
        options.receiveHighWater = 256
        options.frameBytesMax = frameBytesMax
        options.framesMax = 1
        options.heartbeatMilliseconds = 2000
        options.heartbeatTimeoutMilliseconds = 6000
        options.handshakeMilliseconds = 3000
        options.reconnectMilliseconds = 100
        options.reconnectMillisecondsMax = 1000
        options.ioThread = settings.ioThreads.map { plane == .control ? $0.control : $0.data }
        return options
    }

    subscript(plane: MeshPlane) -> Inlet { plane == .control ? control : data }

    /// Where a plane listens, with the port that was chosen.
    public func endpoint(_ plane: MeshPlane) -> String { self[plane].endpoint }

    /// What has happened on a plane so far.
    public func statistics(_ plane: MeshPlane) -> MeshStatistics {
        readMonitor(plane)
        return self[plane].statistics
    }

    /// Lets `poll` end its wait when messages wait, or when `maintain` has something to do. Gives the places of control
    /// and data plane: what the poll did not find readable need not be asked, which is a call of the kernel.
    @discardableResult
    public func add(to poll: SocketPoll) -> (control: SocketPoll.Place, data: SocketPoll.Place) {
        _ = poll.add(resolver.wakeup)
        return (poll.add(control.socket), poll.add(data.socket))
    }

    // MARK: Sending

    /// Sends a control message to a peer, now or not at all.
    @discardableResult
    public func sendControl(_ bytes: [UInt8], to peer: String) -> SendResult { send(bytes, .control, to: peer) }

    /// Sends a data message to a peer. Those of one connection arrive in order; any of them may be lost.
    @discardableResult
    public func sendData(_ bytes: [UInt8], to peer: String) -> SendResult { send(bytes, .data, to: peer) }

    private func send(_ bytes: [UInt8], _ plane: MeshPlane, to peer: String) -> SendResult {
        let inlet = self[plane]
        guard let link = peers[peer]?[plane] else {
            inlet.statistics.sendsUnknown += 1
            return .unknown
        }
        let result = link.send(bytes)
        inlet.statistics.count(result, bytes: bytes.count)
        return switch result {
        case .sent: .sent
        case .full: .full
        case .unreachable, .failed: .unreachable
        }
    }

    /// Whether a peer was connected when `maintain` looked last; a hint, since the kernel also answers for a process
    /// that is stopped.
    public func isReachable(_ peer: String, _ plane: MeshPlane) -> Bool { peers[peer]?[plane]?.isReachable ?? false }

    /// Bytes that were sent to a peer on the data plane and have not left this process.
    public func dataBytesInFlight(to peer: String) -> Int { peers[peer]?.data?.flight.load.bytes ?? 0 }

    // MARK: Receiving

    /// Hands at most `budget` control messages to `body`; returns how many were taken, dropped ones included. Fewer
    /// than `budget` means that nothing more waits.
    public func receiveControl(budget: Int, _ body: (Message) -> Void) -> Int {
        receive(.control, budget: budget, body)
    }

    /// The same for the data plane.
    public func receiveData(budget: Int, _ body: (Message) -> Void) -> Int { receive(.data, budget: budget, body) }

    private func receive(_ plane: MeshPlane, budget: Int, _ body: (Message) -> Void) -> Int {
        let inlet = self[plane]
        if senders.refresh() { looksAt = 0 }
        for taken in 0..<budget {
            switch inlet.socket.receive(into: &inlet.buffer) {
            case .empty: return taken
            case .tooManyFrames: inlet.statistics.tooManyFrames += 1
            case .received: hand(inlet, to: body)
            }
        }
        return budget
    }

    private func hand(_ inlet: Inlet, to body: (Message) -> Void) {
        guard let name = senders.name(of: inlet.buffer.userID) else {
            inlet.statistics.revoked += 1
            return
        }
        guard let bytes = inlet.buffer.frames.first else { return }
        inlet.statistics.received += 1
        inlet.statistics.receivedBytes += UInt64(bytes.count)
        peers[name]?.isHeard = true
        body(Message(bytes: bytes, name: name))
    }

    func readMonitor(_ plane: MeshPlane) {
        let inlet = self[plane]
        while let event = inlet.monitor.next() { inlet.statistics.count(event) }
    }

    /// Lets go of all connections and both ports. What was not sent is dropped.
    public func close() {
        resolver.stop()
        for peer in peers.values { for plane in MeshPlane.allCases { peer[plane]?.close() } }
        peers = [:]
        for inlet in [control, data] {
            inlet.monitor.stop()
            inlet.socket.close()
        }
    }
}
