import Codes
import HTTP2
import LiveActivity
import Loops
import SimulatedAPNs

@testable import APNsSimulator

/// Does what a provocation says, with one kind of request, on a simulator of its own.
final class Provoker {
    private let test: TestSimulator
    private let operation: Operation
    private let token: String
    private let channel: String
    private let authorization: String
    private var certificate: IssuedCredentials?
    private var connected: TestClient?

    init(_ operation: Operation) throws {
        test = try TestSimulator()
        self.operation = operation
        let way: SimulatorControl.Way =
            operation == .start ? .startTokens(attributesType: "Match") : .activityTokens(byteCount: 32)
        token = try test.control.addDevices(1, app: TestSimulator.bundle, way).tokens[0]
        channel = try test.control.createChannel(app: TestSimulator.bundle, policy: .none)
        authorization = try test.authorization()
    }

    /// The connection, made when it is first needed.
    func client() throws -> TestClient {
        if let connected { return connected }
        let made = try test.connect(operation.listener, certificate: certificate)
        connected = made
        return made
    }

    /// Takes the steps and sends the request that they lead to; nil when a GOAWAY is what is expected.
    func answer(to provocation: Provocation) throws -> ClientResponse? {
        let draft = try draft(after: provocation.steps)
        guard provocation.arrival == .answer else {
            _ = try client()
            return nil
        }
        return try send(draft)
    }

    private func send(_ draft: RequestDraft) throws -> ClientResponse {
        try client().send(draft.method, draft.path, draft.fields, body: draft.body)
    }

    private func draft(after steps: [Provocation.Step]) throws -> RequestDraft {
        var draft = RequestDraft(operation, authorization: authorization, token: token, channel: channel)
        for step in steps { try take(step, &draft) }
        return draft
    }

    private func take(_ step: Provocation.Step, _ draft: inout RequestDraft) throws {
        switch step {
        case .control(let command, let members): _ = try test.control.send(command, members.map(filled))
        case .before(let steps):
            let response = try send(self.draft(after: steps))
            guard (200...204).contains(response.status) else {
                throw TestClient.Failed(what: "the faultless request: \(response.status)")
            }
        case .idle(let milliseconds):
            let until = Clock.bootMilliseconds() + milliseconds
            try client().wait("idle time") { Clock.bootMilliseconds() >= until }
        case .sign(let signing): draft.set("authorization", try authorization(signing))
        case .certificate(let kind): certificate = try certificate(kind)
        case .method(let method): draft.method = method
        case .bundle(let bundle): draft.bundle = bundle
        case .token(let token): draft.token = token
        case .appending(let text): draft.pathEnd = text
        case .set(let name, let value): draft.set(name, value)
        case .long(let name, let count): draft.set(name, String(repeating: "A", count: count))
        case .remove(let name): draft.set(name, nil)
        case .twice(let name): draft.fields += draft.fields.filter { $0.0 == name }
        case .body(let body): draft.body = self.body(body)
        }
    }

    private func filled(_ member: JSONValue.Member) -> JSONValue.Member {
        switch member.value.string {
        case "$TOKEN": JSONValue.Member(member.name, .string(token))
        case "$CHANNEL": JSONValue.Member(member.name, .string(channel))
        default: member
        }
    }

    private func body(_ body: Provocation.Body) -> String {
        switch body {
        case .empty: ""
        case .text(let text): text
        case .tooLong: String(repeating: " ", count: operation == .broadcast ? 5121 : 4097)
        }
    }

    // MARK: - Credentials

    private func authorization(_ signing: Provocation.Signing) throws -> String? {
        let key = "SIMKEY0001"
        let team = Provocation.team
        let token =
            switch signing {
            case .nothing: nil as String?
            case .malformed: "a.b.c"
            case .forged: try TestSigner().token(keyID: key, teamID: team)
            case .unknownKey: try test.signer.token(keyID: "NOSUCHKEY1", teamID: team)
            case .otherTeam: try test.signer.token(keyID: key, teamID: "OTHERTEAM1")
            case .age(let seconds): try test.signer.token(keyID: key, teamID: team, secondsAgo: seconds)
            case .key(let id):
                try ProviderTokenSigner(file: test.simulator.credentials.providerKeyPath(of: id))
                    .token(keyID: id, teamID: team)
            }
        return token.map { "bearer " + $0 }
    }

    private func certificate(_ kind: Provocation.CertificateKind) throws -> IssuedCredentials {
        let credentials = test.simulator.credentials
        let bundle = TestSimulator.bundle
        let topics = [bundle, bundle + ".push-type.liveactivity"]
        switch kind {
        case .stranger:
            return try CertificateAuthority().issue(
                names: [bundle], extensions: CertificateMarks.extensions(topics: topics, environments: [.sandbox]))
        case .expired:
            return try credentials.issueClientCertificate(
                bundleID: bundle, topics: topics, environments: [.sandbox], lifetimeDays: 1, startsInDays: -3)
        case .otherEnvironment:
            return try credentials.issueClientCertificate(
                bundleID: bundle, topics: topics, environments: [.production])
        case .otherTopics:
            let other = "com.example.other"
            return try credentials.issueClientCertificate(
                bundleID: other, topics: [other, other + ".push-type.liveactivity"], environments: [.sandbox])
        }
    }
}
