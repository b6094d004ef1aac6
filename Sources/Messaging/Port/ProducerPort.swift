public import Codes

/// The node's ROUTER for producers and admins: bytes in and out, with everything that goes wrong counted.
///
/// Threads: the core, which owns the socket. It decides nothing: what messages mean is `Wire`'s, who may send them the
/// allow-list's and the core's.
public final class ProducerPort {
    /// What has happened at the port so far; only grows.
    public struct Statistics: Sendable, Equatable {
        /// Messages handed on.
        public var received: UInt64 = 0
        /// Messages with too many frames, dropped here.
        public var tooManyFrames: UInt64 = 0
        /// Messages handed out.
        public var sent: UInt64 = 0
        /// Answers that found the producer's queue full and were dropped.
        public var sendsFull: UInt64 = 0
        /// Answers whose producer was gone.
        public var sendsUnreachable: UInt64 = 0
        /// Answers that failed otherwise.
        public var sendsFailed: UInt64 = 0
        /// TCP connections accepted.
        public var accepted: UInt64 = 0
        /// Connections whose handshake succeeded.
        public var handshakesSucceeded: UInt64 = 0
        /// Handshakes that broke off: garbage, other protocols, time-outs, port scans.
        public var handshakesFailed: UInt64 = 0
        /// Handshakes refused because of the key.
        public var handshakesRefused: UInt64 = 0
        /// Connections that ended, among them those cut because of a frame above the limit.
        public var disconnected: UInt64 = 0
    }

    /// Where producers connect to, with the port that was chosen.
    public let endpoint: String
    /// The socket, for `SocketPoll`.
    public let socket: Socket
    private let monitor: SocketMonitor
    private var buffer = Multipart()
    private var counters = Statistics()
    private var readsMonitorAt: Int64 = 0
    /// libzmq waits for the reader of a thousand events.
    private static let monitorMilliseconds: Int64 = 100

    /// Options that suit producers: frames of at most 64 KiB, three a message.
    public static var defaultOptions: SocketOptions { SocketOptions() }

    /// Binds `endpoint`. With `Security.server` an `Authenticator` must already run in `context`.
    public init(
        context: MessagingContext, endpoint: String, security: Security,
        options: SocketOptions = ProducerPort.defaultOptions
    ) throws(Fault) {
        var options = options
        options.security = security
        socket = try Socket(.router, context: context, options: options)
        monitor = try SocketMonitor(socket, context: context)
        self.endpoint = try socket.bind(endpoint)
    }

    /// What has happened so far.
    public var statistics: Statistics {
        readMonitor()
        return counters
    }

    /// Hands at most `budget` messages to `body`; returns how many were taken, dropped ones included. Fewer than
    /// `budget` means that nothing more waits.
    public func receive(budget: Int, _ body: (Multipart) -> Void) -> Int {
        for taken in 0..<budget {
            switch socket.receive(into: &buffer) {
            case .empty: return taken
            case .tooManyFrames: counters.tooManyFrames += 1
            case .received:
                counters.received += 1
                body(buffer)
            }
        }
        return budget
    }

    /// Sends frames to the connection `identity`; never waits. Whatever is not `sent` is counted and lost: producers
    /// time out and send again.
    @discardableResult
    public func send(_ frames: [[UInt8]], to identity: [UInt8]) -> Socket.SendResult {
        let result = socket.send(frames, to: identity)
        switch result {
        case .sent: counters.sent += 1
        case .full: counters.sendsFull += 1
        case .unreachable: counters.sendsUnreachable += 1
        case .failed: counters.sendsFailed += 1
        }
        return result
    }

    /// Reads what happened to connections. Call it every turn with the milliseconds since boot; mostly it does nothing.
    public func maintain(now: Int64) {
        guard now >= readsMonitorAt else { return }
        readsMonitorAt = now + Self.monitorMilliseconds
        readMonitor()
    }

    private func readMonitor() {
        while let event = monitor.next() {
            switch event {
            case .accepted: counters.accepted += 1
            case .handshakeSucceeded: counters.handshakesSucceeded += 1
            case .handshakeFailed: counters.handshakesFailed += 1
            case .handshakeRefused: counters.handshakesRefused += 1
            case .disconnected: counters.disconnected += 1
            case .connected: break
            }
        }
    }

    /// Takes no more and lets go of the port; what was sent may still leave within the linger.
    public func close() {
        monitor.stop()
        socket.close()
    }
}
