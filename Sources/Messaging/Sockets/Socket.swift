internal import CZeroMQ
public import Codes

/// One libzmq socket.
///
/// Threads: exactly one owner, which the type enforces by not being Sendable; make it inside the actor or loop that
/// uses it. Never blocks: waiting is `SocketPoll`'s job.
public final class Socket {
    /// The patterns in use here.
    public enum Kind: Sendable {
        /// Many peers, told apart by routing identity.
        case router
        /// One or more peers of the same standing.
        case dealer
        /// Exactly one peer, in this process.
        case pair
    }

    /// What became of a send.
    public enum SendResult: Sendable, Equatable {
        /// libzmq has taken the message.
        case sent
        /// The peer's queue is full, or no peer is connected.
        case full
        /// No peer has this routing identity.
        case unreachable
        /// Anything else, in libzmq's words.
        case failed(String)
    }

    /// What became of a receive.
    public enum ReceiveResult: Sendable, Equatable {
        /// A message is in the buffer.
        case received
        /// Nothing waits.
        case empty
        /// A message had too many frames and was dropped.
        case tooManyFrames
    }

    let pointer: UnsafeMutableRawPointer
    private let context: MessagingContext
    private let kind: Kind
    private let framesMax: Int
    private let message: UnsafeMutablePointer<zmq_msg_t>
    private var closed = false
    var isOpen: Bool { !closed }

    /// Opens a socket with all of `options`; throws when one is refused.
    public init(_ kind: Kind, context: MessagingContext, options: SocketOptions = SocketOptions()) throws(Fault) {
        guard let socket = zmq_socket(context.pointer, kind.number) else {
            throw Fault(.badEndpoint, "zmq_socket: \(ZMQError.last.text)")
        }
        pointer = socket
        self.context = context
        self.kind = kind
        framesMax = options.framesMax
        message = .allocate(capacity: 1)
        try apply(options, kind: kind)
    }

    deinit {
        close()
        message.deallocate()
    }

    /// Closes the socket; what was sent may still leave within its linger. Later calls do nothing.
    public func close() {
        guard !closed else { return }
        closed = true
        zmq_close(pointer)
    }

    /// Listens at `endpoint`, for example `tcp://0.0.0.0:7400`; returns the endpoint with the port that was chosen for
    /// `:0` or `:*`.
    @discardableResult
    public func bind(_ endpoint: String) throws(Fault) -> String {
        guard zmq_bind(pointer, endpoint) == 0 else { throw Fault(.badEndpoint, ZMQError.last.text, at: endpoint) }
        return lastEndpoint
    }

    /// Connects, and connects again whenever the connection is lost.
    public func connect(_ endpoint: String) throws(Fault) {
        guard zmq_connect(pointer, endpoint) == 0 else { throw Fault(.badEndpoint, ZMQError.last.text, at: endpoint) }
    }

    /// Gives up the connection to `endpoint`, also what waits to be sent there.
    public func disconnect(_ endpoint: String) {
        zmq_disconnect(pointer, endpoint)
    }

    private var lastEndpoint: String {
        var buffer = [CChar](repeating: 0, count: 256)
        var size = buffer.count
        guard zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &buffer, &size) == 0 else { return "" }
        return String(decoding: buffer.prefix(max(0, size - 1)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Sending

    /// Sends a message, for a ROUTER to the peer `identity`. Never waits; a message goes whole or not at all.
    public func send(_ frames: [[UInt8]], to identity: [UInt8]? = nil) -> SendResult {
        guard !closed, !frames.isEmpty else { return .failed("closed or empty") }
        if let identity {
            let result = sendFrame(identity, more: true)
            guard result == .sent else { return result }
        }
        for index in frames.indices {
            let result = sendFrame(frames[index], more: index + 1 < frames.count)
            guard result == .sent else { return result }
        }
        return .sent
    }

    private func sendFrame(_ frame: [UInt8], more: Bool) -> SendResult {
        let flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0)
        while true {
            let sent = frame.withUnsafeBytes { zmq_send(pointer, $0.baseAddress, $0.count, flags) }
            if sent >= 0 { return .sent }
            switch zmq_errno() {
            case EINTR: continue
            case EAGAIN: return .full
            case EHOSTUNREACH: return .unreachable
            default: return .failed(ZMQError.last.text)
            }
        }
    }

    // MARK: Receiving

    /// Takes one message into `buffer`, reusing its storage. Never waits.
    public func receive(into buffer: inout Multipart) -> ReceiveResult {
        guard !closed else { return .empty }
        buffer.begin()
        guard receiveFrame() else { return .empty }
        defer { zmq_msg_close(message) }
        var isIdentity = kind == .router
        var dropped = false
        while true {
            let body = UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message))
            if isIdentity {
                buffer.setIdentity(body)
                isIdentity = false
            } else if buffer.count < framesMax {
                // Not of the identity frame: after a poll libzmq makes that one without the properties of the peer.
                if buffer.count == 0 { buffer.readOrigin(of: message) }
                buffer.append(body)
            } else {
                dropped = true
            }
            guard zmq_msg_more(message) == 1, next() else { break }
        }
        buffer.finish()
        return dropped ? .tooManyFrames : .received
    }

    private func next() -> Bool {
        zmq_msg_close(message)
        guard receiveFrame() else {
            // A message arrives whole, so this cannot be; the slot must be valid for the close that follows.
            zmq_msg_init(message)
            return false
        }
        return true
    }

    private func receiveFrame() -> Bool {
        zmq_msg_init(message)
        while zmq_msg_recv(message, pointer, ZMQ_DONTWAIT) < 0 {
            if zmq_errno() == EINTR { continue }
            zmq_msg_close(message)
            return false
        }
        return true
    }
}

extension Socket.Kind {
    var number: Int32 {
        switch self {
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .pair: ZMQ_PAIR
        }
    }
}
