import Codes
import Loops
import Messaging
import Wire

/// What the client's thread runs: the socket to one node, and the session machine. Lives on that thread only.
final class ClientLoop {
    private static let tickMilliseconds: Int64 = 50
    private static let reopenMilliseconds: Int64 = 250
    private static let receiveBudget = 1024

    private let context: MessagingContext
    private let settings: ProducerSettings
    private let shared: ClientShared
    private var session: ClientSession
    private var connection: Connection?
    private var node = 0
    private var openAt: Int64 = 0
    private var tickedAt: Int64 = 0
    private var isDone = false

    private var commands: [ClientCommand] = []
    private var effects: [ClientEffect] = []
    private var results: [PublishResult] = []
    private var receipts: [EventReport] = []
    private var buffer = Multipart()

    /// A socket with what belongs to it.
    private struct Connection {
        let socket: Socket
        let monitor: SocketMonitor
        let poll: SocketPoll
        let woken: SocketPoll.Place
    }

    init(context: MessagingContext, settings: ProducerSettings, shared: ClientShared) {
        self.context = context
        self.settings = settings
        self.shared = shared
        session = ClientSession(
            name: settings.name, nodes: settings.nodes.count,
            patience: ClientSession.Patience(
                answerMilliseconds: settings.answerMilliseconds, resendMilliseconds: settings.resendMilliseconds,
                connectMilliseconds: settings.connectMilliseconds,
                silenceMilliseconds: settings.silenceMilliseconds),
            now: Clock.bootMilliseconds())
    }

    /// Runs until the session is closed.
    func run() {
        var isBusy = true
        while !isDone {
            wait(isBusy: isBusy)
            isBusy = turn()
        }
        connection?.monitor.stop()
        connection?.socket.close()
        // What was handed over at the last moment gets its result too.
        shared.mailbox.close()
        _ = takeCommands(Clock.bootMilliseconds())
        perform(Clock.bootMilliseconds())
        deliver()
        shared.end(session.statistics)
    }

    private func wait(isBusy: Bool) {
        let isQuiet = session.isIdle && session.phase == .open && !session.isClosing
        let limit = isBusy ? 0 : isQuiet ? 1000 : Int(Self.tickMilliseconds)
        guard let connection else {
            let poll = SocketPoll()
            let woken = poll.add(shared.mailbox.wakeup)
            poll.wait(milliseconds: limit)
            if poll.isReadable(woken) { shared.mailbox.wakeup.clear() }
            return
        }
        connection.poll.wait(milliseconds: limit)
        if connection.poll.isReadable(connection.woken) { shared.mailbox.wakeup.clear() }
    }

    /// One round over everything; whether there was anything to do.
    private func turn() -> Bool {
        let now = Clock.bootMilliseconds()
        if connection == nil, now >= openAt { open(now) }
        var isBusy = takeCommands(now)
        if let deadline = shared.mustEndBy { session.close(by: deadline) }
        isBusy = readMonitor(now) || isBusy
        isBusy = receive(now) || isBusy
        if now - tickedAt >= Self.tickMilliseconds {
            tickedAt = now
            session.tick(now: now, into: &effects)
            shared.publish(session.statistics)
        }
        session.pump(now: now, into: &effects)
        perform(now)
        deliver()
        return isBusy
    }

    // MARK: The connection

    private func open(_ now: Int64) {
        openAt = now + Self.reopenMilliseconds
        do throws(Fault) {
            let address = settings.nodes[node]
            let socket = try Socket(.dealer, context: context, options: try Self.options(settings, address))
            let monitor = try SocketMonitor(socket, context: context)
            try socket.connect(address.endpoint)
            let poll = SocketPoll()
            _ = poll.add(socket)
            _ = monitor.add(to: poll)
            let woken = poll.add(shared.mailbox.wakeup)
            connection = Connection(socket: socket, monitor: monitor, poll: poll, woken: woken)
        } catch {
            node = (node + 1) % settings.nodes.count
        }
    }

    static func options(
        _ settings: ProducerSettings, _ address: ProducerSettings.Node
    ) throws(Fault) -> SocketOptions {
        var options = SocketOptions()
        options.lingerMilliseconds = 500
        options.sendHighWater = 100_000
        options.receiveHighWater = 100_000
        options.frameBytesMax = Int64(ProducerProtocol.documentBytesMax)
        if let serverKey = address.serverKey {
            guard let certificate = settings.certificate else {
                throw Fault(.certificateNoSecret, "the node has a server key, so a certificate is needed")
            }
            options.security = .client(certificate: certificate, serverKey: serverKey)
        }
        return options
    }

    private func changeNode(_ now: Int64) {
        connection?.monitor.stop()
        connection?.socket.close()
        connection = nil
        node = (node + 1) % settings.nodes.count
        session.disconnected(now: now)
    }

    private func readMonitor(_ now: Int64) -> Bool {
        var isBusy = false
        while let event = connection?.monitor.next() {
            isBusy = true
            switch event {
            case .handshakeSucceeded: session.connected(now: now, into: &effects)
            case .disconnected: session.disconnected(now: now)
            case .handshakeFailed: session.handshakeFailed(refused: false, into: &effects)
            case .handshakeRefused: session.handshakeFailed(refused: true, into: &effects)
            case .accepted, .connected: break
            }
        }
        return isBusy
    }

    private func receive(_ now: Int64) -> Bool {
        guard let socket = connection?.socket else { return false }
        for taken in 0..<Self.receiveBudget {
            switch socket.receive(into: &buffer) {
            case .empty: return taken > 0
            case .tooManyFrames: session.statistics.unexpected += 1
            case .received:
                switch NodeMessage.decode(buffer.frames) {
                case .success(let message): session.receive(message, now: now, into: &effects)
                case .failure: session.statistics.unexpected += 1
                }
            }
        }
        return true
    }

    // MARK: Commands and effects

    private func takeCommands(_ now: Int64) -> Bool {
        guard session.waiting.count < settings.queueCapacity else { return false }
        shared.mailbox.take(into: &commands)
        for command in commands {
            switch command {
            case .publish(let publish, let ticket, let deadline):
                session.submit(Submission(publish: publish, ticket: ticket, deadline: deadline), into: &effects)
            case .request(let waiter, let deadline, let make):
                session.request(waiter: waiter, deadline: deadline, into: &effects, make)
            }
        }
        return !commands.isEmpty
    }

    private func perform(_ now: Int64) {
        guard !effects.isEmpty else { return }
        var wantsChange = false
        for effect in effects {
            switch effect {
            // A full or lost connection needs no answer here: the session sends again what stays unanswered.
            case .send(let message): _ = connection?.socket.send(message.frames())
            case .settle(.tag(let tag), let result): results.append(PublishResult(tag: tag, result: result))
            case .settle(.waiter(let waiter), let result): shared.waiters.settle(waiter, result)
            case .answer(let waiter, let result): shared.waiters.answer(waiter, result)
            case .receipt(let report): receipts.append(report)
            case .opened(let ready): shared.waiters.opened(ready)
            case .changeNode: wantsChange = true
            case .close: isDone = true
            }
        }
        effects.removeAll(keepingCapacity: true)
        if wantsChange { changeNode(now) }
    }

    private func deliver() {
        if !results.isEmpty {
            shared.onResults?(results)
            results.removeAll(keepingCapacity: true)
        }
        if !receipts.isEmpty {
            session.statistics.receiptsDropped += shared.deliver(receipts)
            receipts.removeAll(keepingCapacity: true)
        }
    }
}
