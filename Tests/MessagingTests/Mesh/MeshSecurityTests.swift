import Codes
import Foundation
import Loops
import Messaging
import Testing

/// Whoever may speak on the mesh may end nodes: only nodes may.
@Suite struct MeshSecurityTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func client(_ node: MeshNode, _ own: Certificate, key: PublicKey? = nil) throws -> Socket {
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        options.security = .client(certificate: own, serverKey: key ?? node.certificate.publicKey)
        let socket = try Socket(.dealer, context: node.context, options: options)
        try socket.connect(node.port.endpoint(.control))
        return socket
    }

    @Test func anUnknownKeyIsRefused() throws {
        let node = try MeshNode("n1", directory: directory.path)
        let socket = try client(node, try Certificate.generate(name: "n9", role: .node))
        _ = socket.send([bytes("x")])
        #expect(wait(node) { node.port.statistics(.control).handshakesRefused > 0 })
        withExtendedLifetime(socket) { #expect(node.control.isEmpty) }
    }

    @Test func aWrongServerKeyFails() throws {
        let node = try MeshNode("n1", directory: directory.path)
        let own = try Certificate.generate(name: "n2", role: .node)
        try own.write(directory: directory.path)
        try node.list?.reload()
        let socket = try client(node, own, key: own.publicKey)
        _ = socket.send([bytes("x")])
        #expect(wait(node) { node.port.statistics(.control).handshakesFailed > 0 })
        withExtendedLifetime(socket) { #expect(node.control.isEmpty) }
    }

    /// Not even when somebody put it into the directory of nodes.
    @Test(arguments: [Certificate.Role.producer, .admin]) func otherRolesAreRefused(role: Certificate.Role) throws {
        let node = try MeshNode("n1", directory: directory.path)
        let own = try Certificate.generate(name: "scores", role: role)
        try own.write(directory: directory.path)
        try node.list?.reload()
        let socket = try client(node, own)
        _ = socket.send([bytes("x")])
        #expect(wait(node) { node.port.statistics(.control).handshakesRefused > 0 })
        withExtendedLifetime(socket) { #expect(node.control.isEmpty) }
    }

    /// One ZAP handler serves both doors of a node, and each door knows only its own.
    @Test func producersAndNodesHaveDifferentDoors() throws {
        let producers = try TemporaryDirectory()
        let scores = try Certificate.generate(name: "scores", role: .producer)
        try scores.write(directory: producers.path)
        let own = try Certificate.generate(name: "n1", role: .node)
        try own.write(directory: directory.path)
        let (list, nodes) = (
            try AllowList(directories: [producers.path]), try AllowList(directories: [directory.path])
        )
        let context = MessagingContext()
        let authenticator = try Authenticator(
            context: context,
            domains: [.init("producers", list), .init(MeshSettings.Security.domain, nodes, roles: [.node])])
        let door = try ProducerPort(
            context: context, endpoint: "tcp://127.0.0.1:*", security: .server(certificate: own, domain: "producers"))
        let port = try MeshPort(
            context: context,
            settings: MeshSettings(
                control: "tcp://127.0.0.1:*", data: "tcp://127.0.0.1:*", identity: bytes("n1"),
                security: MeshSettings.Security(certificate: own, allowList: nodes)))
        var sockets: [Socket] = []
        for (certificate, endpoint) in [
            (scores, door.endpoint), (scores, port.endpoint(.data)), (own, door.endpoint), (own, port.endpoint(.data)),
        ] {
            var options = SocketOptions()
            options.lingerMilliseconds = 0
            options.security = .client(certificate: certificate, serverKey: own.publicKey)
            let socket = try Socket(.dealer, context: context, options: options)
            try socket.connect(endpoint)
            _ = socket.send([bytes(certificate.name)])
            sockets.append(socket)
        }
        #expect(wait { door.statistics.handshakesRefused > 0 && port.statistics(.data).handshakesRefused > 0 })
        var names: [String] = []
        #expect(wait { door.receive(budget: 1) { names.append(Certificate.name(ofUserID: $0.userID)) } == 1 })
        #expect(wait { port.receiveData(budget: 1) { names.append($0.name) } == 1 })
        #expect(names == ["scores", "n1"])
        port.close()
        door.close()
        authenticator.stop()
    }

    @Test func clientsWithoutCurveAreKeptOut() throws {
        let node = try MeshNode("n1", directory: directory.path)
        var options = SocketOptions()
        options.lingerMilliseconds = 0
        let socket = try Socket(.dealer, context: node.context, options: options)
        try socket.connect(node.port.endpoint(.data))
        _ = socket.send([bytes("x")])
        #expect(wait(node) { node.port.statistics(.data).handshakesFailed > 0 })
        withExtendedLifetime(socket) { #expect(node.data.isEmpty) }
    }

    @Test func aCertificateThatIsTakenAwayEndsItsOpenConnections() throws {
        let one = try MeshNode("n1", directory: directory.path)
        let two = try MeshNode("n2", directory: directory.path)
        try one.meet(two)
        try two.meet(one)
        #expect(wait(one, two) { two.port.sendControl(bytes("a"), to: "n1") == .sent })
        #expect(wait(one, two) { one.control.count == 1 })
        try FileManager.default.removeItem(atPath: directory.path + "/n2.key")
        try one.list?.reload()
        #expect(two.port.sendControl(bytes("b"), to: "n1") == .sent)
        #expect(wait(one, two) { one.port.statistics(.control).revoked == 1 })
        #expect(one.control.count == 1)
        // Nothing is sent there either.
        #expect(wait(one) { one.port.sendControl(bytes("c"), to: "n2") == .unknown })
    }

    /// libzmq never tries again after a refusal; the port does.
    @Test func aPeerThatLetsUsInLaterIsReached() throws {
        let (here, there) = (try TemporaryDirectory(), try TemporaryDirectory())
        let two = try MeshNode("n2", directory: there.path)
        let one = try MeshNode("n1", directory: here.path)
        try two.certificate.publicPart.writePublic(to: here)
        try one.meet(two)
        #expect(wait(one, two) { two.port.statistics(.control).handshakesRefused > 0 })
        try one.certificate.publicPart.writePublic(to: there)
        try two.list?.reload()
        #expect(
            wait(one, two) {
                _ = one.port.sendControl(bytes("late"), to: "n2")
                return two.control.contains { $0.bytes == bytes("late") }
            })
        #expect(one.port.statistics(.control).dialled > 1)
    }

    @Test func aPeerIsReachedOnceItsCertificateIsThere() throws {
        let (here, there) = (try TemporaryDirectory(), try TemporaryDirectory())
        let two = try MeshNode("n2", directory: there.path)
        let one = try MeshNode("n1", directory: here.path)
        try one.certificate.publicPart.writePublic(to: there)
        try two.list?.reload()
        try one.meet(two)
        #expect(one.port.sendControl(bytes("x"), to: "n2") == .unknown)
        try two.certificate.publicPart.writePublic(to: here)
        try one.list?.reload()
        #expect(wait(one, two) { one.port.sendControl(bytes("x"), to: "n2") == .sent })
        #expect(wait(one, two) { two.control.last?.bytes == bytes("x") })
    }
}

extension Certificate {
    /// Writes the public file only, as an operator copies it to other nodes.
    fileprivate func writePublic(to directory: TemporaryDirectory) throws {
        let text = """
            metadata
                name = "\(name)"
                role = "\(role.rawValue)"
            curve
                public-key = "\(publicKey)"

            """
        try directory.write(text, to: "\(name).key")
    }
}
