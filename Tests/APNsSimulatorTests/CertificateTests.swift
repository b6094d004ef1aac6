import HTTP2
import LiveActivity
import SimulatedAPNs
import Testing

@testable import APNsSimulator

/// Clients that show a certificate instead of a token; what is wrong with one is in the table of provocations.
@Suite struct CertificateTests {
    private static let topics = [TestSimulator.bundle, TestSimulator.bundle + ".push-type.liveactivity"]

    private func certificate(
        _ test: TestSimulator, topics: [String] = topics, _ environments: [Environment] = [.sandbox]
    ) throws -> IssuedCredentials {
        try test.simulator.credentials.issueClientCertificate(
            bundleID: TestSimulator.bundle, topics: topics, environments: environments)
    }

    /// Everything without any token, and all streams from the beginning.
    @Test(arguments: Operation.allCases) func aCertificateIsEnough(_ operation: Operation) throws {
        let test = try TestSimulator()
        let token = try test.control.addDevices(
            1, app: TestSimulator.bundle,
            operation == .start ? .startTokens(attributesType: "Match") : .activityTokens()
        ).tokens[0]
        let channel = try test.control.createChannel(app: TestSimulator.bundle, policy: .none)
        let client = try test.connect(
            operation.listener, certificate: try certificate(test, Environment.allCases))
        try client.wait("streams") { client.limits.last == 1000 }
        let draft = RequestDraft(operation, authorization: nil, token: token, channel: channel)
        let response = try client.send(draft.method, draft.path, draft.fields, body: draft.body)
        #expect((200...204).contains(response.status))
    }

    @Test func theTokenIsNotLookedAt() throws {
        let test = try TestSimulator()
        let client = try test.connect(.manage, certificate: try certificate(test))
        let draft = RequestDraft(.list, authorization: "bearer nonsense", token: "", channel: "")
        #expect(try client.send(draft.method, draft.path, draft.fields).status == 200)
    }

    @Test func oneTopicNeedsNotBeSaid() throws {
        let test = try TestSimulator()
        let token = try test.control.addDevices(1, app: TestSimulator.bundle, .activityTokens()).tokens[0]
        for (topics, status) in [(Array(Self.topics.dropFirst()), 200), (Self.topics, 400)] {
            let client = try test.connect(certificate: try certificate(test, topics: topics))
            var draft = RequestDraft(.device, authorization: nil, token: token, channel: "")
            draft.set("apns-topic", nil)
            #expect(try client.send(draft.method, draft.path, draft.fields, body: draft.body).status == status)
        }
    }

    /// Many topics, so that lengths need two octets; and what is no such list.
    @Test func marksAreReadBack() throws {
        for count in [1, 4, 20, 400] {
            let names = (0..<count).map { "com.example.app\($0).push-type.liveactivity" }
            let marks = CertificateMarks.extensions(topics: names, environments: [])
            #expect(CertificateMarks.readTopics(marks[0].value) == names)
            for length in 0..<min(marks[0].value.count, 300) {
                #expect(CertificateMarks.readTopics(Array(marks[0].value.prefix(length))).isEmpty)
            }
        }
        var generator = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            let bytes = (0..<Int(generator.next() % 40)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            #expect(CertificateMarks.readTopics([0x30] + bytes).count <= 40)
        }
    }
}
