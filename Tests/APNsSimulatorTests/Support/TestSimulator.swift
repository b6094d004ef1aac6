import APNsSimulator
import CLinux
import Codes
import HTTP2
import LiveActivity
import SimulatedAPNs

/// A running simulator in a directory of its own, with a signer for its key; everything is gone when it is released.
final class TestSimulator {
    static let bundle = "com.example.match"
    static let schemaText = """
        {"types":{"Match":{"monotone":"ball","attributes":{"id":"String"},
        "contentState":{"ball":"Int","note":"String?"}}}}
        """

    let directory: String
    let simulator: APNsSimulator
    let control: SimulatorControl
    let signer: TestSigner
    let context: TLSClientContext

    init(_ change: (inout SimulatorSettings) throws -> Void = { _ in }) throws {
        directory = try Self.makeDirectory()
        var settings = SimulatorSettings(
            credentialsDirectory: directory + "/credentials",
            apps: [SimulatedApp(bundleID: Self.bundle, teamID: "SIMTEAM001")], controlPath: directory + "/control")
        settings.schemas = try SimulatorSettings.readSchemas(Array(Self.schemaText.utf8))
        try change(&settings)
        simulator = try APNsSimulator(settings)
        simulator.start()
        control = try SimulatorControl(path: directory + "/control")
        signer = try TestSigner(pemFile: simulator.credentials.providerKeyPath)
        context = try TLSClientContext(TLSClientSettings(authorities: .file(simulator.credentials.authorityPath)))
    }

    deinit {
        simulator.stop()
        TestFile.removeAll(directory)
    }

    /// A fresh directory under the system's temporary one.
    static func makeDirectory() throws -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(parent)/carillon-simulator-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Fault(.simulatorCredentials, "mkdtemp") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A new connection to the port for sending or for channels.
    func connect(_ kind: ListenerKind = .send, certificate: IssuedCredentials? = nil) throws -> TestClient {
        try TestClient(
            context: try certificate.map(context(showing:)) ?? context,
            port: kind == .send ? simulator.sendPort : simulator.managePort)
    }

    private func context(showing certificate: IssuedCredentials) throws -> TLSClientContext {
        try TLSClientContext(
            TLSClientSettings(
                authorities: .file(simulator.credentials.authorityPath), credentials: certificate.credentials))
    }

    func authorization(_ secondsAgo: Int64 = 0) throws -> String {
        "bearer " + (try signer.token(keyID: "SIMKEY0001", teamID: "SIMTEAM001", secondsAgo: secondsAgo))
    }

    func createChannel(policy: Int = 0) throws -> String {
        let client = try connect(.manage)
        let response = try client.send(
            "POST", "/1/apps/\(Self.bundle)/channels", [("authorization", try authorization())],
            body: "{\"message-storage-policy\":\(policy),\"push-type\":\"LiveActivity\"}")
        return response.headers.text("apns-channel-id") ?? ""
    }

    static func broadcastFields(_ channel: String, _ authorization: String) -> [(String, String)] {
        [
            ("authorization", authorization), ("apns-channel-id", channel), ("apns-push-type", "liveactivity"),
            ("apns-priority", "10"), ("apns-expiration", "0"),
        ]
    }

    static let broadcastPath = "/4/broadcasts/apps/" + bundle

    static func deviceFields(_ authorization: String) -> [(String, String)] {
        [
            ("authorization", authorization), ("apns-topic", bundle + ".push-type.liveactivity"),
            ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
        ]
    }

    static func body(_ stamp: Int64, ball: Int, event: String = "update") -> String {
        """
        {"aps":{"timestamp":\(stamp),"event":"\(event)","content-state":{"ball":\(ball)}}}
        """
    }
}
