import SimulatedAPNs
import Testing

/// Of two faults in one request the earlier check speaks.
@Suite struct CheckOrderTests {
    private static let long = String(repeating: "c", count: 65)
    /// Changes to a good device push, each adding a fault that is checked before all the former ones.
    private static let device: [(field: String, value: String, reason: String)] = [
        ("body", String(repeating: " ", count: 4097), "PayloadTooLarge"),
        ("apns-collapse-id", long, "BadCollapseId"),
        ("apns-expiration", "x", "BadExpirationDate"),
        ("apns-priority", "0", "BadPriority"),
        ("apns-topic", "b_d", "BadTopic"),
        ("apns-push-type", "x", "InvalidPushType"),
        (":path", "/3/device/", "MissingDeviceToken"),
        ("apns-id", "x", "BadMessageId"),
        ("credential", "", "MissingProviderToken"),
        ("twice", "", "DuplicateHeaders"),
        (":method", "GET", "MethodNotAllowed"),
        (":path", "/", "BadPath"),
    ]

    private static let broadcast: [(field: String, value: String, reason: String)] = [
        ("apns-channel-id", "AAAAAAAAAAAAAAAAAAAAAA==", "ChannelNotRegistered"),
        ("apns-channel-id", "!", "BadChannelId"),
        ("body", String(repeating: " ", count: 5121), "PayloadTooLarge"),
        ("apns-expiration", "x", "BadExpirationDate"),
        ("apns-priority", "0", "BadPriority"),
        ("apns-push-type", "x", "InvalidPushType"),
        (":path", "/4/broadcasts/apps/com.other", "TopicMismatch"),
        ("apns-request-id", "x", "BadMessageId"),
        ("credential", "", "MissingProviderToken"),
        ("twice", "", "DuplicateHeaders"),
        (":method", "GET", "MethodNotAllowed"),
        (":path", "/", "BadPath"),
    ]

    private func run(
        _ world: inout TestWorld, _ good: [(String, String)],
        _ faults: [(field: String, value: String, reason: String)]
    ) {
        var fields = good
        var body = TestWorld.body(0, ball: 1)
        var credential: Credential?
        for fault in faults {
            switch fault.field {
            case "body": body = fault.value
            case "credential": credential = .missing
            case "twice": fields.append(("apns-priority", "10"))
            default:
                fields.removeAll { $0.0 == fault.field }
                fields.append((fault.field, fault.value))
            }
            let answer = world.send(fields, body: body, credential: credential)
            #expect(TestWorld.reason(answer) == fault.reason)
        }
    }

    @Test func devicePush() throws {
        var world = try TestWorld()
        let token = try world.holder().token
        run(&world, TestWorld.deviceFields(token), Self.device)
    }

    @Test func broadcastSend() throws {
        var world = try TestWorld()
        run(&world, TestWorld.broadcastFields(world.createChannel()), Self.broadcast)
    }

    /// Seen at Apple (Docs/APNs.md 3.4): on the send host the method comes before the credentials.
    @Test func asSeen() throws {
        var world = try TestWorld()
        let path = "/4/broadcasts/apps/" + TestWorld.bundle
        let first = world.send([(":method", "GET"), (":path", path)], credential: .missing)
        #expect(first?.status == 405)
        let second = world.send(TestWorld.channelFields("GET"), on: 2, credential: .missing)
        #expect(TestWorld.reason(second) == "MissingProviderToken")
    }
}
