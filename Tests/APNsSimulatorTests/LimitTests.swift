import APNsSimulator
import HTTP2
import LiveActivity
import SimulatedAPNs
import Testing

/// What errors and silence do to a connection, and which fields answers carry, over TLS.
@Suite struct LimitTests {
    private static let requestID = "0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11"
    private let test: TestSimulator
    private let token: String
    private let channel: String
    private let authorization: String

    init() throws {
        test = try TestSimulator()
        token = try test.control.addDevices(1, app: TestSimulator.bundle, .activityTokens()).tokens[0]
        channel = try test.control.createChannel(app: TestSimulator.bundle, policy: .mostRecent)
        authorization = try test.authorization()
    }

    private func draft(_ operation: Operation) -> RequestDraft {
        RequestDraft(operation, authorization: authorization, token: token, channel: channel)
    }

    private func send(_ draft: RequestDraft, on client: TestClient) throws -> ClientResponse {
        try client.send(draft.method, draft.path, draft.fields, body: draft.body)
    }

    private var wrong: RequestDraft {
        var draft = draft(.device)
        draft.token = String(repeating: "0", count: 64)
        return draft
    }

    @Test func errorsShrinkStreamsUntilTheNextSuccess() throws {
        let client = try test.connect()
        for (draft, limit) in [(draft(.device), 1000), (wrong, 1), (draft(.device), 1000)] {
            _ = try send(draft, on: client)
            try client.wait("\(limit) streams") { client.limits.last == limit }
        }
        #expect(client.limits == [1, 1000, 1, 1000])
    }

    @Test func tooManyErrorsCloseTheConnection() throws {
        try test.control.setRules([.count(.errorsMax, 25)])
        let client = try test.connect()
        try test.control.setFate(.unregistered, ofToken: token)
        for _ in 0..<30 { #expect(try send(draft(.device), on: client).status == 410) }
        // Ten points each; the third one is too much.
        for _ in 0..<2 { #expect(try send(wrong, on: client).status == 400) }
        #expect(client.goAway == nil)
        #expect(try send(wrong, on: client).status == 400)
        try client.wait("GOAWAY") { client.goAway != nil }
        #expect(client.goAway?.debugData == "")
        #expect(client.goAway?.lastStreamID == 65)
        try client.wait("the end") { client.isClosed }
    }

    @Test func successesTakeErrorsBack() throws {
        try test.control.setRules([.count(.errorsMax, 12)])
        let client = try test.connect()
        for _ in 0..<3 {
            #expect(try send(wrong, on: client).status == 400)
            for _ in 0..<10 { #expect(try send(draft(.device), on: client).status == 200) }
        }
        #expect(client.goAway == nil)
    }

    @Test func rulesAreNamedAndPutBack() throws {
        for rule in CountRule.allCases { try test.control.setRules([.count(rule, 7)]) }
        for rule in SwitchRule.allCases { try test.control.setRules([.isOn(rule, true)]) }
        let changed = try test.control.send("rules")
        for rule in CountRule.allCases { #expect(changed[rule.rawValue]?.integer == 7) }
        for rule in SwitchRule.allCases { #expect(changed[rule.rawValue]?.bool == true) }
        try test.control.setRules([.clear])
        let cleared = try test.control.send("rules")
        #expect(cleared["streams_max"]?.integer == 1000)
        #expect(cleared["idle_ms"]?.integer == 0)
        #expect(cleared["idle_is_answered"]?.bool == false)
    }

    @Test func theAccountGrows() throws {
        let path = try test.control.addKey(ProviderKey(id: "NEWKEY0001", teamID: "NEWTEAM001"))
        #expect(throws: (any Error).self) {
            try test.control.addKey(ProviderKey(id: "NEWKEY0001", teamID: "NEWTEAM001"))
        }
        #expect(throws: (any Error).self) {
            try test.control.addKey(ProviderKey(id: "../KEY", teamID: "NEWTEAM001"))
        }
        try test.control.addApp(SimulatedApp(bundleID: "com.example.new", teamID: "NEWTEAM001"))
        var draft = draft(.list)
        draft.bundle = "com.example.new"
        let token = try ProviderTokenSigner(file: path).token(keyID: "NEWKEY0001", teamID: "NEWTEAM001")
        draft.set("authorization", "bearer " + token)
        #expect(try send(draft, on: try test.connect(.manage)).status == 200)
    }

    /// Status, fields and body of every success (Docs/APNs.md 3.1 to 3.3).
    @Test(arguments: Operation.allCases.filter { $0 != .start }) func successes(_ operation: Operation) throws {
        let client = try test.connect(operation.listener)
        let field = operation == .device ? "apns-id" : "apns-request-id"
        var draft = draft(operation)
        draft.set(field, Self.requestID)
        draft.set("apns-expiration", operation == .broadcast || operation == .device ? "0" : nil)
        let response = try send(draft, on: client)
        let wanted: [Operation: Int] = [.create: 201, .delete: 204]
        #expect(response.status == wanted[operation] ?? 200)
        #expect(identity(response, operation) == Self.requestID)
        #expect((response.headers.text("apns-channel-id") != nil) == (operation == .create))
        let text = String(decoding: response.body, as: UTF8.self)
        switch operation {
        case .read: #expect(text == "{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}")
        case .list: #expect(text == "{\"channels\":[\"\(channel)\"]}")
        default: #expect(text.isEmpty)
        }
        #expect((response.headers.text("content-type") == "application/json") == !text.isEmpty)
        guard operation != .delete else { return }
        draft.set(field, nil)
        let chosen = identity(try send(draft, on: client), operation) ?? ""
        #expect(chosen.count == 36 && chosen == chosen.uppercased())
    }

    private func identity(_ response: ClientResponse, _ operation: Operation) -> String? {
        operation == .device ? response.headers.text("apns-id") : response.headers.text("apns-request-id")
    }
}
