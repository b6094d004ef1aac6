import CLinux
import Codes
import Testing

@testable import HTTP2

@Suite struct TLSTests {
    private func fault(
        _ loop: Loopback, serverName: String = "localhost", authorities: [UInt8]? = nil
    ) throws -> Code? {
        #expect(try !loop.connect(serverName: serverName, authorities: authorities))
        #expect(loop.client.isClosed)
        return loop.closedFault?.code
    }

    @Test func addressesInTheCertificateAreNamesToo() throws {
        #expect(try Loopback().connect(serverName: "127.0.0.1"))
    }

    @Test func wrongNameIsRefused() throws {
        #expect(try fault(Loopback(), serverName: "api.push.apple.com") == .wrongServerName)
        #expect(try fault(Loopback(), serverName: "127.0.0.2") == .wrongServerName)
    }

    @Test func unknownAuthorityIsRefused() throws {
        #expect(try fault(Loopback(), authorities: TestIdentity.pair.get().foreign) == .unknownAuthority)
    }

    @Test func expiredCertificateIsRefused() throws {
        let expired = try TestIdentity.pair.get().expired.credentials
        #expect(try fault(Loopback(credentials: expired)) == .serverCertificateExpired)
    }

    @Test func serverWithoutHTTP2IsRefused() throws {
        #expect(try fault(Loopback(offersHTTP2: false)) == .noHTTP2)
    }

    @Test func aRequestForAClientCertificateIsNoObstacle() throws {
        let loop = try Loopback(requestsClientCertificate: true)
        loop.serve = answerOK
        try #require(try loop.connect())
        #expect(loop.client.submit(makeRequest(), tag: 1))
        #expect(loop.run { loop.responses.count == 1 })
    }

    @Test func unusableFilesAreNamed() throws {
        let absent = Result { () throws(Fault) in
            try TLSClientContext(TLSClientSettings(authorities: .file("/nonexistent/ca.pem")))
        }
        guard case .failure(let fault) = absent else {
            Issue.record("accepted")
            return
        }
        #expect(fault.code == .tlsSettings)
        #expect(fault.place == "/nonexistent/ca.pem")
        #expect(throws: Fault.self) {
            try TLSClientContext(TLSClientSettings(authorities: .bytes(Array("no certificate".utf8))))
        }
        let pair = try TestIdentity.pair.get()
        #expect(throws: Fault.self) {
            try TLSServerContext(
                TLSServerSettings(
                    credentials: Credentials(
                        certificate: .bytes(pair.server.certificatePEM), key: .bytes(pair.expired.keyPEM))))
        }
    }

    @Test func keyLogHoldsSessionSecrets() throws {
        var path = Array("/tmp/carillon-keylog-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        try #require(descriptor >= 0)
        defer {
            close(descriptor)
            unlink(path)
        }
        let loop = try Loopback()
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try #require(try loop.connect(keyLogFile: name))
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &buffer, buffer.count)
        #expect(String(decoding: buffer[..<max(0, count)], as: UTF8.self).contains("CLIENT_TRAFFIC_SECRET_0 "))
    }

    @Test func authoritiesRefuseBadNames() throws {
        let authority = try CertificateAuthority()
        #expect(throws: Fault.self) { try authority.issue(names: []) }
        #expect(throws: Fault.self) { try authority.issue(names: ["a,DNS:evil.example"]) }
        #expect(throws: Fault.self) { try authority.issue(names: [""]) }
        #expect(try !authority.keyPEM().isEmpty)
    }
}
