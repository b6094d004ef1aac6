internal import CZeroMQ
public import Codes

/// What happens to a socket's connections. Threads: the owner of the socket.
public final class SocketMonitor {
    /// Something that happened.
    public enum Event: Sendable, Equatable {
        /// A client's TCP connection was accepted.
        case accepted
        /// Our TCP connection is made; the handshake follows.
        case connected
        /// The peer is authenticated and may send.
        case handshakeSucceeded
        /// The handshake broke off: garbage, another protocol, a time-out, or the peer went away.
        case handshakeFailed
        /// The handshake was refused by ZAP; `status` is its code, 400 for a key that is not allowed.
        case handshakeRefused(status: UInt32)
        /// A connection ended.
        case disconnected
    }

    private let observed: Socket
    private let pair: Socket
    private var buffer = Multipart()
    private var stopped = false

    /// Watches `socket` from now on.
    public init(_ socket: Socket, context: MessagingContext) throws(Fault) {
        let endpoint = "inproc://monitor-\(UInt(bitPattern: socket.pointer))"
        let events =
            ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED
            | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
        guard zmq_socket_monitor(socket.pointer, endpoint, events) == 0 else {
            throw Fault(.badEndpoint, "zmq_socket_monitor: \(ZMQError.last.text)")
        }
        observed = socket
        pair = try Socket(.pair, context: context)
        try pair.connect(endpoint)
    }

    /// Lets `poll` end its wait when something happened.
    public func add(to poll: SocketPoll) -> SocketPoll.Place { poll.add(pair) }

    /// Takes the next event; nil when there is none.
    public func next() -> Event? {
        while pair.receive(into: &buffer) == .received {
            guard let frame = buffer.frames.first, frame.count == 6 else { continue }
            let number = UInt16(frame[0]) | UInt16(frame[1]) << 8
            let value = frame[2...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            if let event = Self.event(Int32(number), value) { return event }
        }
        return nil
    }

    private static func event(_ number: Int32, _ value: UInt32) -> Event? {
        switch number {
        case ZMQ_EVENT_ACCEPTED: .accepted
        case ZMQ_EVENT_CONNECTED: .connected
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .handshakeSucceeded
        case ZMQ_EVENT_DISCONNECTED: .disconnected
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL, ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: .handshakeFailed
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: .handshakeRefused(status: value)
        default: nil
        }
    }

    /// Stops watching. Done by itself when the monitor goes away: without a reader libzmq's thread would wait for one
    /// for ever.
    public func stop() {
        guard !stopped else { return }
        stopped = true
        if observed.isOpen { zmq_socket_monitor(observed.pointer, nil, 0) }
        pair.close()
    }

    deinit { stop() }
}
