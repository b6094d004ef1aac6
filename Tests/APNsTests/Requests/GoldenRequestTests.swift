import COpenSSL
import Delivery
import HTTP2
import LiveActivity
import Testing

@testable import APNs

/// Every operation byte for byte as it leaves: the fixtures in Golden were written by hand from Docs/APNs.md 3.1 to
/// 3.5.
@Suite struct GoldenRequestTests {
    private let token = ProviderToken(
        generation: 1,
        token: Array(
            ("eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ.eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzkwMDAwMDAwfQ."
                + "c2lnbmF0dXJl").utf8))
    private let halves: (UInt64, UInt64) = (0x0d1c_3c55_6f0e_4a55, 0x9a1e_6f3a_2f0b_8c11)
    private let channel = "dHN0LXNyY2gtY2hubA=="

    private func app(_ environment: APNsEnvironment) -> APNsApp {
        APNsApp(
            bundleID: "com.example.MyApp", environment: environment, keyFile: "", keyID: "ABC123DEFG",
            teamID: "DEF123GHIJ")
    }

    private func wire(_ request: ClientRequest) -> String {
        let head = request.fields.map { "\($0.name) \($0.value)\n" }.joined()
        return head + "\n" + String(decoding: request.body, as: UTF8.self)
    }

    private func golden(_ name: String) throws -> String {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let file = try #require(fopen("/\(folder)/Golden/\(name).http", "re"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[0..<count], as: UTF8.self)
    }

    private func send(
        _ payload: String, to destination: Destination, event: EventKind, priority: UInt8, expirationSeconds: Int64,
        environment: APNsEnvironment = .production
    ) throws -> String {
        let item = PushItem(
            ticket: 1, sequence: 1, stampSeconds: 1_790_000_000, event: event, important: false, quiet: false,
            priority: priority, expirationSeconds: expirationSeconds, expiresAtMilliseconds: nil,
            payload: Array(payload.utf8),
            layout: PayloadLayout(stampOffset: 8, stampLength: 0, stampInsertion: .beforeMembers))
        var body: [UInt8] = []
        #expect(item.layout.render(item.payload.span, stampSeconds: item.stampSeconds, quiet: false, into: &body))
        var requests = SendRequests(app: app(environment), token: token)
        return wire(requests.request(item, to: destination, identifier: halves, body: body))
    }

    @Test func ordinaryNotificationHasTheBundleAsItsTopic() throws {
        let sent = try send(
            #"{"aps":{"alert":{"title":"t"}}}"#, to: Destination(kind: .ordinaryToken, app: 0, address: [0x61, 0x62]),
            event: .start, priority: 10, expirationSeconds: 1_790_000_600)
        #expect(sent.contains("apns-topic com.example.MyApp\n") && sent.contains("apns-push-type alert\n"))
        #expect(sent.hasSuffix(#"{"aps":{"timestamp":1790000000,"alert":{"title":"t"}}}"#))
    }

    @Test func devicePush() throws {
        let address = "80c1ea30f22e4b1d8a4f6e0c9b7d5a3f1e2d3c4b5a69788796a5b4c3d2e1f00e"
        let sent = try send(
            #"{"aps":{"event":"update","content-state":{"percent":42}}}"#,
            to: Destination(kind: .token, app: 0, address: Array(address.utf8)), event: .update, priority: 5,
            expirationSeconds: 1_790_000_600)
        #expect(try sent == golden("device"))
    }

    @Test func pushToStart() throws {
        let payload =
            #"{"aps":{"event":"start","attributes-type":"MatchAttributes","attributes":{},"#
            + #""content-state":{"percent":0},"alert":{"title":"T","body":"B"}}}"#
        let address = String(repeating: "80c1", count: 40)
        let sent = try send(
            payload, to: Destination(kind: .startToken, app: 0, address: Array(address.utf8)), event: .start,
            priority: 10, expirationSeconds: 1_790_000_600, environment: .sandbox)
        #expect(try sent == golden("start"))
    }

    @Test func broadcast() throws {
        let sent = try send(
            #"{"aps":{"event":"update","content-state":{"percent":42}}}"#,
            to: Destination(kind: .channel, app: 0, address: Array(channel.utf8)), event: .update, priority: 10,
            expirationSeconds: 0)
        #expect(try sent == golden("broadcast"))
    }

    @Test func channelOperations() throws {
        let requests = ManagementRequests(app: app(.production), token: token)
        func sent(_ operation: ChannelOperation) -> String {
            wire(requests.request(operation, identifier: RequestIdentifiers.text(halves)))
        }
        #expect(try sent(.create(.mostRecent)) == golden("create"))
        #expect(try sent(.read(channelID: channel)) == golden("read"))
        #expect(try sent(.delete(channelID: channel)) == golden("delete"))
        let sandbox = ManagementRequests(app: app(.sandbox), token: token)
        #expect(try wire(sandbox.request(.list, identifier: RequestIdentifiers.text(halves))) == golden("list"))
    }

    /// What the server reads is what was written, in the same order.
    @Test func orderSurvivesTheWire() async throws {
        let app = try TestApp()
        let (stream, continuation) = AsyncStream.makeStream(of: ServerRequest.self)
        let server = try ScriptedServer(authority: app.authority) { turn in
            for request in turn.requests {
                continuation.yield(request)
                turn.respond(request, body: #"{"channels":[]}"#)
            }
        }
        let service = try APNsService(settings: app.settings(port: server.port))
        service.start { _ in }
        #expect(try await service.manage(.list, app: 0) == .channels([]))
        var iterator = stream.makeAsyncIterator()
        let request = await iterator.next()
        #expect(request?.headers.fields.map(\.name) == ["authorization", "apns-request-id"])
        service.stop(deadlineMilliseconds: 0)
        server.stop()
    }
}
