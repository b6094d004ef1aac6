import Codes
import Loops
import Messaging
import Wire

/// A node's producer port with a scripted answer to every message.
final class FakeNode: Sendable {
    struct Seen: Sendable {
        var messages: [ProducerMessage] = []
        var faults: [WireFault] = []
        var users: [String] = []
        var identities: [[UInt8]] = []

        var publishes: [Publish] {
            messages.compactMap { if case .publish(let publish) = $0 { publish } else { nil } }
        }
    }

    typealias Script = @Sendable (ProducerMessage) -> [NodeMessage]

    let endpoint: String
    private let thread = LoopThread(name: "fake-node")
    private let stopped = Lock(false)
    private let seen = Lock(Seen())
    private let outgoing = Mailbox<NodeMessage>(capacity: 1000)
    private let records: Bool

    /// Starts at `endpoint`; answers `hello` with `credit` itself unless the script does.
    init(
        context: MessagingContext = MessagingContext(), endpoint: String = "tcp://127.0.0.1:*",
        security: Security = .insecure, records: Bool = true, script: @escaping Script
    ) throws {
        self.records = records
        let (bound, signal) = (Lock<String?>(nil), Wakeup())
        let (stopped, seen, outgoing, wakeup) = (stopped, seen, outgoing, thread.wakeup)
        thread.start {
            defer { signal.signal() }
            guard
                let port = try? ProducerPort(context: context, endpoint: endpoint, security: security)
            else { return bound.withLock { $0 = "" } }
            bound.withLock { $0 = port.endpoint }
            signal.signal()
            let poll = SocketPoll()
            _ = poll.add(port.socket)
            let woken = poll.add(wakeup)
            _ = poll.add(outgoing.wakeup)
            var batch: [NodeMessage] = []
            var last: [UInt8] = []
            while !stopped.withLock({ $0 }) {
                poll.wait(milliseconds: 50)
                if poll.isReadable(woken) { wakeup.clear() }
                while port.receive(
                    budget: 256,
                    { message in
                        last = message.identity
                        let decoded = ProducerMessage.decode(message.frames)
                        if records {
                            seen.withLock { seen in
                                seen.users.append(message.userID)
                                seen.identities.append(message.identity)
                                switch decoded {
                                case .success(let message): seen.messages.append(message)
                                case .failure(let fault): seen.faults.append(fault)
                                }
                            }
                        }
                        guard case .success(let request) = decoded else { return }
                        for answer in script(request) { port.send(answer.frames(), to: message.identity) }
                    }) == 256
                {}
                outgoing.wakeup.clear()
                outgoing.take(into: &batch)
                for message in batch { port.send(message.frames(), to: last) }
            }
            port.close()
        }
        let poll = SocketPoll()
        _ = poll.add(signal)
        while bound.withLock({ $0 == nil }) { poll.wait(milliseconds: -1) }
        self.endpoint = bound.withLock { $0 ?? "" }
    }

    var log: Seen { seen.withLock { $0 } }

    /// Sends to whoever sent last.
    func say(_ message: NodeMessage) { outgoing.post(message) }

    func stop() {
        stopped.withLock { $0 = true }
        thread.wakeup.signal()
        thread.join()
    }

    /// Opens sessions and acknowledges everything.
    static let willing: Script = { message in
        switch message {
        case .hello(let hello): [.ready(Ready(sequence: hello.sequence, node: "n1", software: "fake", credit: 1000))]
        case .publish(let publish):
            [.ack(Ack(sequence: publish.sequence, instance: 1, epoch: 1, version: publish.sequence, copies: 1))]
        case .ping(let sequence): [.pong(sequence: sequence, nowMilliseconds: 1_716_739_260_500)]
        case .bye(let sequence): [.bye(sequence: sequence)]
        default: [.nack(Nack(.unknownKey, sequence: message.sequence))]
        }
    }
}
