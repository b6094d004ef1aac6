import Codes
import Foundation
import Messaging
import Testing

@Suite struct AuthenticatorTests {
    /// A server with an allow-list, and what a client needs.
    private final class Server {
        let directory: TemporaryDirectory
        let context = MessagingContext()
        let list: AllowList
        let authenticator: Authenticator
        let port: ProducerPort
        let certificate: Certificate

        init() throws {
            directory = try TemporaryDirectory()
            certificate = try Certificate.generate(name: "n1", role: .node)
            list = try AllowList(directories: [directory.path])
            authenticator = try Authenticator(context: context, allowList: list, domain: "producers")
            port = try ProducerPort(
                context: context, endpoint: "tcp://127.0.0.1:*",
                security: .server(certificate: certificate, domain: "producers"))
        }

        func client(_ own: Certificate, key: PublicKey? = nil) throws -> (Socket, SocketMonitor) {
            var options = SocketOptions()
            options.lingerMilliseconds = 0
            options.security = .client(certificate: own, serverKey: key ?? certificate.publicKey)
            let socket = try Socket(.dealer, context: context, options: options)
            let monitor = try SocketMonitor(socket, context: context)
            try socket.connect(port.endpoint)
            return (socket, monitor)
        }

        func receive(polls: Bool = true) -> Multipart? {
            var message: Multipart?
            // libzmq makes messages ready in another way when it was polled for them.
            let poll = SocketPoll()
            if polls { _ = poll.add(port.socket) }
            _ = wait(poll) { port.receive(budget: 1) { message = $0 } == 1 }
            return message
        }

        deinit {
            port.close()
            authenticator.stop()
        }
    }

    private func waitFor(_ expected: SocketMonitor.Event, _ monitor: SocketMonitor) -> Bool {
        wait {
            while let event = monitor.next() { if event == expected { return true } }
            return false
        }
    }

    @Test func anAllowedKeyGetsInUnderItsName() throws {
        let server = try Server()
        let own = try Certificate.generate(name: "scores", role: .producer)
        try own.write(directory: server.directory.path)
        #expect(try server.list.reload())
        let (socket, _) = try server.client(own)
        #expect(wait { socket.send([bytes("x")]) == .sent })
        let message = server.receive()
        #expect(message?.userID == own.userID && message?.frames == [bytes("x")])
        #expect(socket.send([bytes("y")]) == .sent)
        #expect(server.receive(polls: false)?.userID == own.userID)
        #expect(server.authenticator.statistics.accepted == 1)
    }

    @Test func aKeyThatIsNotAllowedIsRefusedAndHearsIt() throws {
        let server = try Server()
        let (socket, monitor) = try server.client(try Certificate.generate(name: "stranger", role: .producer))
        #expect(waitFor(.handshakeRefused(status: 400), monitor))
        _ = socket.send([bytes("x")])
        #expect(wait { server.port.statistics.handshakesRefused > 0 })
        #expect(server.authenticator.statistics.refused > 0)
        #expect(server.port.receive(budget: 1) { _ in } == 0)
    }

    @Test func aWrongServerKeyFailsTheHandshake() throws {
        let server = try Server()
        let wrong = try Certificate.generate(name: "n2", role: .node).publicKey
        let (_, monitor) = try server.client(try Certificate.generate(name: "scores", role: .producer), key: wrong)
        _ = monitor
        #expect(wait { server.port.statistics.handshakesFailed > 0 })
    }

    @Test func clientsWithoutCurveAreKeptOut() throws {
        let server = try Server()
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        let socket = try Socket(.dealer, context: server.context, options: options)
        try socket.connect(server.port.endpoint)
        _ = socket.send([bytes("x")])
        #expect(wait { server.port.statistics.handshakesFailed > 0 })
        // The socket must live until here, or it gives up its connection after its last use.
        withExtendedLifetime(socket) { #expect(server.port.receive(budget: 1) { _ in } == 0) }
    }

    @Test(arguments: HostilePeerTests.otherProtocols)
    func otherProtocolsAreCutOff(text: String) throws {
        let server = try Server()
        let stranger = try #require(RawConnection(server.port.endpoint))
        stranger.send(bytes(text))
        #expect(wait { stranger.isClosed })
        #expect(wait { server.port.statistics.disconnected + server.port.statistics.handshakesFailed > 0 })
    }

    @Test func keysAreRotatedWhileOthersWork() throws {
        let server = try Server()
        let old = try Certificate.generate(name: "old", role: .producer)
        try old.write(directory: server.directory.path)
        try server.list.reload()
        let (socket, _) = try server.client(old)
        #expect(wait { socket.send([bytes("1")]) == .sent })
        #expect(server.receive()?.userID == old.userID)
        let new = try Certificate.generate(name: "new", role: .producer)
        try new.write(directory: server.directory.path)
        try FileManager.default.removeItem(atPath: server.directory.path + "/old.key")
        server.authenticator.reloadSoon()
        #expect(wait { server.list.snapshot.role(of: new.userID) != nil })
        // The open connection still delivers: only asking the list for each message tells.
        #expect(socket.send([bytes("2")]) == .sent)
        let late = server.receive()
        #expect(late?.userID == old.userID)
        #expect(server.list.snapshot.role(of: late?.userID ?? "") == nil)
        let (second, _) = try server.client(new)
        #expect(wait { second.send([bytes("3")]) == .sent })
        #expect(server.receive()?.userID == new.userID)
    }

    @Test func aChangedDirectoryIsNoticedWithoutBeingTold() throws {
        let server = try Server()
        let later = try Certificate.generate(name: "later", role: .admin)
        try later.write(directory: server.directory.path)
        #expect(wait { server.list.snapshot.role(of: later.userID) == .admin })
        #expect(server.authenticator.statistics.reloads == 1)
    }

    @Test func withoutAHandlerNobodyGetsIn() throws {
        let context = MessagingContext()
        let certificate = try Certificate.generate(name: "n1", role: .node)
        let port = try ProducerPort(
            context: context, endpoint: "tcp://127.0.0.1:*",
            security: .server(certificate: certificate, domain: "producers"))
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        options.security = .client(
            certificate: try Certificate.generate(name: "anyone", role: .producer), serverKey: certificate.publicKey)
        let socket = try Socket(.dealer, context: context, options: options)
        try socket.connect(port.endpoint)
        _ = socket.send([bytes("x")])
        #expect(wait { port.statistics.handshakesFailed + port.statistics.handshakesRefused > 0 })
        withExtendedLifetime(socket) { #expect(port.receive(budget: 1) { _ in } == 0) }
        port.close()
    }

    @Test func aContextHasOneHandler() throws {
        let server = try Server()
        #expect(throws: Fault.self) {
            try Authenticator(context: server.context, allowList: server.list, domain: "other")
        }
    }
}
