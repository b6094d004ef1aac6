import APNsSimulator
import HTTP2
import LiveActivity
import SimulatedAPNs
import Testing

/// What belongs to one environment is strange to the other: two simulators, side by side.
@Suite struct EnvironmentTests {
    private let sandbox: TestSimulator
    private let production: TestSimulator

    init() throws {
        sandbox = try TestSimulator()
        // Other seed, other tokens and channels; as with Apple one key serves both.
        let key = SimulatorKey(
            ProviderKey(id: "SHARED0001", teamID: "SIMTEAM001"),
            publicKeyPEM: try SimulatorCredentials.publicKeyPEM(
                ofPrivate: TestFile.contents(sandbox.simulator.credentials.providerKeyPath)))
        production = try TestSimulator {
            $0.seed = 2
            $0.rules.environment = .production
            $0.keys = [key]
        }
    }

    private func send(
        _ operation: Operation, to test: TestSimulator, token: String = "", channel: String = ""
    ) throws -> ClientResponse {
        let authorization =
            test === sandbox
            ? try sandbox.authorization()
            : "bearer " + (try sandbox.signer.token(keyID: "SHARED0001", teamID: "SIMTEAM001"))
        let draft = RequestDraft(operation, authorization: authorization, token: token, channel: channel)
        return try test.connect(operation.listener).send(draft.method, draft.path, draft.fields, body: draft.body)
    }

    private func reason(_ response: ClientResponse) -> String? {
        let bytes = response.body
        return (try? JSONValue(parsing: bytes.span))?["reason"]?.string
    }

    @Test func deviceTokens() throws {
        let token = try sandbox.control.addDevices(1, app: TestSimulator.bundle, .activityTokens()).tokens[0]
        #expect(try send(.device, to: sandbox, token: token).status == 200)
        let response = try send(.device, to: production, token: token)
        #expect(reason(response) == "BadDeviceToken")
    }

    @Test func channels() throws {
        let channel = try production.control.createChannel(app: TestSimulator.bundle, policy: .none)
        for operation: Operation in [.broadcast, .read, .delete] {
            let response = try send(operation, to: sandbox, channel: channel)
            #expect(reason(response) == "ChannelNotRegistered")
        }
        #expect(try send(.delete, to: production, channel: channel).status == 204)
    }

    /// Device pushes carry `apns-unique-id` in the sandbox only (Docs/APNs.md 3.1), broadcasts everywhere (3.2).
    @Test func uniqueIDs() throws {
        for test in [sandbox, production] {
            let token = try test.control.addDevices(1, app: TestSimulator.bundle, .activityTokens()).tokens[0]
            let channel = try test.control.createChannel(app: TestSimulator.bundle, policy: .none)
            let pushed = try send(.device, to: test, token: token)
            #expect((pushed.headers.text("apns-unique-id") != nil) == (test === sandbox))
            let broadcast = try send(.broadcast, to: test, channel: channel)
            #expect(broadcast.headers.text("apns-unique-id")?.count == 36)
        }
    }
}
