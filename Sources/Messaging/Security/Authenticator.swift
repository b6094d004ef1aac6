internal import CLinux
public import Codes
import Loops

/// The ZAP handler (ZeroMQ RFC 27) of a context: lets a CURVE client in when its public key is in the allow-list, and
/// tells the socket its name as `User-Id`.
///
/// Start it before any server socket binds. Its thread also looks every second whether the directory has changed.
public final class Authenticator: Sendable {
    /// What it has decided so far.
    public struct Statistics: Sendable, Equatable {
        /// Handshakes let in.
        public var accepted: UInt64 = 0
        /// Handshakes with a key that is not allowed, or for another domain.
        public var refused: UInt64 = 0
        /// Requests that were no ZAP 1.0.
        public var malformed: UInt64 = 0
        /// Times the directory was read again because it had changed.
        public var reloads: UInt64 = 0
        /// Times the directory could not be read.
        public var reloadFaults: UInt64 = 0
    }

    private struct State {
        var statistics = Statistics()
        var reloadAsked = false
        var stopped = false
    }

    private static let scanMilliseconds = 1000

    private let allowList: AllowList
    private let domain: [UInt8]
    private let thread = LoopThread(name: "zap")
    private let state = Lock(State())

    /// Binds the handler's endpoint in `context` and starts its thread; throws when the context has one already.
    public init(context: MessagingContext, allowList: AllowList, domain: String = Security.domain) throws(Fault) {
        self.allowList = allowList
        self.domain = Array(domain.utf8)
        let (bound, signal) = (Lock<Result<Void, Fault>?>(nil), Wakeup())
        thread.start { [self] in
            do throws(Fault) {
                var options = SocketOptions()
                options.framesMax = 16
                let socket = try Socket(.router, context: context, options: options)
                try socket.bind("inproc://zeromq.zap.01")
                bound.withLock { $0 = .success(()) }
                signal.signal()
                run(socket)
            } catch {
                bound.withLock { $0 = .failure(error) }
                signal.signal()
            }
        }
        let poll = SocketPoll()
        _ = poll.add(signal)
        while bound.withLock({ $0 == nil }) { poll.wait(milliseconds: -1) }
        if case .failure(let fault) = bound.withLock({ $0 }) {
            thread.join()
            throw fault
        }
    }

    /// What it has decided so far.
    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// Looks at the directory now instead of within a second, for example after SIGHUP. Returns at once.
    public func reloadSoon() {
        state.withLock { $0.reloadAsked = true }
        thread.wakeup.signal()
    }

    /// Ends the thread. From then on no new connection is let in. Call once, after the server sockets are closed.
    public func stop() {
        state.withLock { $0.stopped = true }
        thread.wakeup.signal()
        thread.join()
    }

    // MARK: The thread

    private func run(_ socket: Socket) {
        let poll = SocketPoll()
        _ = poll.add(socket)
        let woken = poll.add(thread.wakeup)
        var request = Multipart()
        var scannedAt = Clock.bootMilliseconds()
        while !state.withLock({ $0.stopped }) {
            poll.wait(milliseconds: Self.scanMilliseconds)
            if poll.isReadable(woken) { thread.wakeup.clear() }
            let now = Clock.bootMilliseconds()
            let asked = state.withLock { state in
                defer { state.reloadAsked = false }
                return state.reloadAsked
            }
            if asked || now - scannedAt >= Int64(Self.scanMilliseconds) {
                scannedAt = now
                scan()
            }
            while true {
                let result = socket.receive(into: &request)
                if result == .empty { break }
                if result == .received { answer(request, socket) } else { count(\.malformed) }
            }
        }
    }

    private func scan() {
        do throws(Fault) {
            if try allowList.reload() { count(\.reloads) }
        } catch {
            count(\.reloadFaults)
        }
    }

    private func count(_ counter: WritableKeyPath<Statistics, UInt64>) {
        state.withLock { $0.statistics[keyPath: counter] += 1 }
    }

    /// Frames after the identity: empty, version, request id, domain, address, identity, mechanism, key.
    private func answer(_ request: Multipart, _ socket: Socket) {
        let frames = request.frames
        guard frames.count >= 7, frames[0].isEmpty, frames[1] == Array("1.0".utf8) else {
            count(\.malformed)
            return
        }
        var certificate: Certificate?
        if frames.count == 8, frames[3] == domain, frames[6] == Array("CURVE".utf8) {
            certificate = allowList.snapshot.certificate(key: frames[7])
        }
        count(certificate == nil ? \.refused : \.accepted)
        let status = certificate == nil ? "400" : "200"
        let text = certificate == nil ? "not allowed" : "OK"
        let user = certificate?.userID ?? ""
        // A ROUTER on inproc: the asking session waits for exactly one answer, so this cannot be full.
        _ = socket.send(
            [[], Array("1.0".utf8), frames[2], Array(status.utf8), Array(text.utf8), Array(user.utf8), []],
            to: request.identity)
    }
}
