import CarillonClient
import Codes
import Foundation
import Loops
import Messaging
import Testing
import Wire

@Suite struct CurveTests {
    private final class SecureNode {
        let directory: URL
        let authenticator: Authenticator
        let list: AllowList
        let node: FakeNode
        let certificate: Certificate

        init() throws {
            directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            certificate = try Certificate.generate(name: "n1", role: .node)
            let context = MessagingContext()
            list = try AllowList(directories: [directory.path()])
            authenticator = try Authenticator(context: context, allowList: list, domain: "producers")
            node = try FakeNode(
                context: context, security: .server(certificate: certificate, domain: "producers"),
                script: FakeNode.willing)
        }

        func settings(_ own: Certificate, key: PublicKey? = nil) -> ProducerSettings {
            var settings = ProducerSettings(
                nodes: [ProducerSettings.Node(node.endpoint, serverKey: key ?? certificate.publicKey)],
                certificate: own)
            settings.answerMilliseconds = 8000
            return settings
        }

        deinit {
            node.stop()
            authenticator.stop()
            try? FileManager.default.removeItem(at: directory)
        }
    }

    @Test func anAllowedCertificatePublishesUnderItsName() async throws {
        let secure = try SecureNode()
        let own = try Certificate.generate(name: "scores", role: .producer)
        try own.write(directory: secure.directory.path())
        try secure.list.reload()
        let producer = try CarillonProducer(secure.settings(own))
        _ = try await producer.publish(try event(1))
        #expect(secure.node.log.users.allSatisfy { Certificate.name(ofUserID: $0) == "scores" })
        await producer.close()
    }

    @Test func aCertificateThatIsNotAllowedHearsItSoonAndGetsInLater() async throws {
        let secure = try SecureNode()
        let own = try Certificate.generate(name: "scores", role: .producer)
        let producer = try CarillonProducer(secure.settings(own))
        #expect(await code { () async throws(Refusal) in try await producer.ping() } == .refusedConnection)
        try own.write(directory: secure.directory.path())
        secure.authenticator.reloadSoon()
        var result = Code?.some(.refusedConnection)
        while result == .refusedConnection {
            result = await code { () async throws(Refusal) in try await producer.ping() }
        }
        #expect(result == nil)
        await producer.close()
    }

    @Test func aWrongServerKeyIsAFaultInBoundedTime() async throws {
        let secure = try SecureNode()
        let own = try Certificate.generate(name: "scores", role: .producer)
        let wrong = try Certificate.generate(name: "n2", role: .node).publicKey
        let producer = try CarillonProducer(secure.settings(own, key: wrong))
        let result = await code { () async throws(Refusal) in try await producer.ping() }
        #expect(result == .refusedConnection)
        await producer.close(flushMilliseconds: 0)
    }
}
