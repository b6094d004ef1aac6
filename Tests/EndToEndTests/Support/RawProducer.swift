import CarillonClient
import Codes
import LocalCluster
import Loops
import Messaging
import Wire

/// A producer that speaks the protocol by hand, so that it can also break its rules.
final class RawProducer {
    private let context = MessagingContext()
    private let socket: Socket
    private let poll = SocketPoll()
    private var buffer = Multipart()

    init(_ trial: Trial, certificate: Certificate? = nil) throws {
        let settings = try trial.cluster.clientSettings()
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        if let own = certificate ?? settings.certificate, let key = settings.nodes[0].serverKey {
            options.security = .client(certificate: own, serverKey: key)
        }
        socket = try Socket(.dealer, context: context, options: options)
        _ = poll.add(socket)
        try socket.connect(trial.cluster.endpoint)
    }

    deinit { socket.close() }

    func send(_ message: ProducerMessage) { send(frames: message.frames()) }

    func send(frames: [[UInt8]]) { _ = socket.send(frames) }

    /// The next message of the node; nil when none comes or it cannot be read.
    func receive(within milliseconds: Int64 = 10_000) -> NodeMessage? {
        let deadline = Clock.bootMilliseconds() + milliseconds
        while socket.receive(into: &buffer) != .received {
            let left = deadline - Clock.bootMilliseconds()
            guard left > 0 else { return nil }
            poll.wait(milliseconds: Int(min(left, 100)))
        }
        return try? NodeMessage.decode(buffer.frames).get()
    }

    /// The code of the refusal that comes next; nil when something else comes.
    func refusal() -> Code? {
        guard case .nack(let nack) = receive() else { return nil }
        return nack.known
    }

    /// Opens a session; nil when the node refuses.
    func open() -> Ready? {
        send(.hello(Hello(sequence: 1, client: "raw")))
        guard case .ready(let ready) = receive() else { return nil }
        return ready
    }
}
