internal import CLinux
public import Codes
import Loops

/// The ZAP handler (ZeroMQ RFC 27) of a context: lets a CURVE client in when its public key is in the allow-list of the
/// socket's domain, and tells the socket its name as `User-Id`.
///
/// Start it before any server socket binds. Its thread also looks every second whether the directories have changed.
public final class Authenticator: Sendable {
    /// Whom the sockets of one ZAP domain let in.
    public struct Domain: Sendable {
        let name: [UInt8]
        let allowList: AllowList
        let roles: Set<Certificate.Role>

        /// Lets in those of `allowList` that have one of `roles`.
        public init(
            _ name: String, _ allowList: AllowList, roles: Set<Certificate.Role> = Set(Certificate.Role.allCases)
        ) {
            self.name = Array(name.utf8)
            self.allowList = allowList
            self.roles = roles
        }
    }

    /// What it has decided so far.
    public struct Statistics: Sendable, Equatable {
        /// Handshakes let in.
        public var accepted: UInt64 = 0
        /// Handshakes with a key that is not allowed, of a role that is not, or for an unknown domain.
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

    private let domains: [Domain]
    private let thread = LoopThread(name: "zap")
    private let state = Lock(State())

    /// Binds the handler's endpoint in `context` and starts its thread; throws when the context has one already.
    public convenience init(
        context: MessagingContext, allowList: AllowList, domain: String = Security.domain
    ) throws(Fault) {
        try self.init(context: context, domains: [Domain(domain, allowList)])
    }

    /// The same for the sockets of several domains.
    public init(context: MessagingContext, domains: [Domain]) throws(Fault) {
        self.domains = domains
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
        for domain in domains {
            do throws(Fault) {
                if try domain.allowList.reload() { count(\.reloads) }
            } catch {
                count(\.reloadFaults)
            }
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
        if frames.count == 8, frames[6] == Array("CURVE".utf8),
            let domain = domains.first(where: { $0.name == frames[3] }),
            let found = domain.allowList.snapshot.certificate(key: frames[7]), domain.roles.contains(found.role)
        {
            certificate = found
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
