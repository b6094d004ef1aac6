import HTTP2
import Testing

@testable import APNs

/// Keys, certificates and settings for one test.
struct TestApp {
    let directory = TemporaryDirectory()
    let authority: CertificateAuthority
    private let keyFile: String
    private let caFile: String

    init() throws {
        authority = try CertificateAuthority()
        caFile = directory.file("ca.pem", authority.certificatePEM)
        keyFile = directory.path(of: "AuthKey.p8")
        try ProviderKey.generate().write(to: keyFile)
    }

    /// One app that sends to and is managed at `localhost` on the port.
    func settings(port: UInt16, connections: Int = 1) -> APNsSettings {
        let endpoint = APNsEndpoint(host: "localhost", port: port)
        var settings = APNsSettings(apps: [
            APNsApp(
                bundleID: "com.example.MyApp", environment: .simulator, keyFile: keyFile, keyID: "ABC123DEFG",
                teamID: "DEF123GHIJ", send: endpoint, manage: endpoint, caFile: caFile, connections: connections)
        ])
        settings.requestTimeoutMilliseconds = 5000
        return settings
    }
}
