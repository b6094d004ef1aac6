import LiveActivity
import SimulatedAPNs
import Testing

@Suite struct AnswerTests {
    private let id = "0d1c3c55-6f0e-4a55-9a1e-6f3a2f0b8c11"

    @Test func devicePushEchoesItsID() throws {
        var world = try TestWorld()
        let token = try world.holder().token
        let answer = world.send(
            TestWorld.deviceFields(token.uppercased()) + [("apns-id", id)], body: TestWorld.body(0, ball: 1))
        #expect(answer?.status == 200)
        #expect(answer?.body.isEmpty == true)
        #expect(answer?.value(of: "apns-id") == id)
        #expect(answer?.value(of: "apns-unique-id")?.count == 36)
        let other = world.send(TestWorld.deviceFields(token), body: TestWorld.body(1, ball: 2))
        #expect(other?.value(of: "apns-id")?.count == 36)
    }

    @Test func productionHasNoUniqueIDOnDevicePushes() throws {
        var world = try TestWorld(rules: Rules(environment: .production))
        let token = try world.holder().token
        let answer = world.send(TestWorld.deviceFields(token), body: TestWorld.body(0, ball: 1))
        #expect(answer?.value(of: "apns-unique-id") == nil)
    }

    @Test func broadcastAndManagementEchoTheRequestID() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 1)
        #expect(Base64.decode(channel.utf8)?.count == 16)
        let sent = world.send(
            TestWorld.broadcastFields(channel) + [("apns-request-id", id)], body: TestWorld.body(0, ball: 1))
        #expect(sent?.value(of: "apns-request-id") == id)
        #expect(sent?.value(of: "apns-unique-id") != nil)
        #expect(sent?.body.isEmpty == true)
        let read = world.send(TestWorld.channelFields("GET", channel), on: 2)
        #expect(read?.status == 200)
        #expect(
            read.map { String(decoding: $0.body, as: UTF8.self) }
                == "{\"message-storage-policy\":1,\"push-type\":\"LiveActivity\"}")
    }

    @Test func channelsAreListedAndDeleted() throws {
        var world = try TestWorld()
        let list = [(":method", "GET"), (":path", "/1/apps/\(TestWorld.bundle)/all-channels")]
        #expect(world.send(list, on: 2).map { String(decoding: $0.body, as: UTF8.self) } == "{\"channels\":[]}")
        let channels = [world.createChannel(), world.createChannel()]
        let answer = world.send(list, on: 2)
        let bytes = answer?.body ?? []
        let value = try JSONValue(parsing: bytes.span)
        #expect(value["channels"]?.array?.compactMap(\.string) == channels)
        let deleted = world.send(TestWorld.channelFields("DELETE", channels[0]), on: 2)
        #expect(deleted?.status == 204)
        #expect(deleted?.body.isEmpty == true)
        #expect(
            TestWorld.reason(world.send(TestWorld.channelFields("GET", channels[0]), on: 2)) == "ChannelNotRegistered")
        #expect(world.broadcast(channels[0], TestWorld.body(0, ball: 0)) == 400)
        #expect(world.broadcast(channels[1], TestWorld.body(0, ball: 0)) == 200)
    }

    @Test func incompleteBroadcastsByReading() throws {
        var rules = Rules()
        rules.readings.refusesIncompleteBroadcasts = false
        var world = try TestWorld(rules: rules)
        let channel = world.createChannel()
        let fields = TestWorld.broadcastFields(channel).filter { $0.0 != "apns-expiration" && $0.0 != "apns-priority" }
        #expect(world.send(fields, body: TestWorld.body(0, ball: 0))?.status == 200)
    }

    @Test func theSameIDTwiceIsCounted() throws {
        var world = try TestWorld()
        let fields = TestWorld.broadcastFields(world.createChannel()) + [("apns-request-id", id)]
        for offset: Int64 in 0..<3 { _ = world.send(fields, body: TestWorld.body(offset, ball: Int(offset))) }
        #expect(world.apns.counters.acceptedTwice == 2)
    }

    @Test func sizesAtTheLimit() throws {
        var world = try TestWorld()
        let token = try world.holder().token
        let channel = world.createChannel()
        let body = TestWorld.body(0, ball: 1)
        let padded = { (count: Int) in body + String(repeating: " ", count: count - body.utf8.count) }
        #expect(world.push(token, padded(4096)) == 200)
        #expect(world.push(token, padded(4097)) == 413)
        #expect(world.broadcast(channel, padded(5120)) == 200)
        #expect(world.broadcast(channel, padded(5121)) == 413)
    }

    @Test func unknownTokensForLoadGenerators() throws {
        var world = try TestWorld(rules: Rules(acceptsUnknownTokens: true))
        #expect(world.push(String(repeating: "ab", count: 80), TestWorld.body(0, ball: 1)) == 200)
    }

    @Test func unreadableBodiesByReading() throws {
        var rules = Rules()
        rules.readings.refusesUnreadableBodies = true
        var world = try TestWorld(rules: rules)
        let channel = world.createChannel()
        let answer = world.send(TestWorld.broadcastFields(channel), body: "[1]")
        #expect(TestWorld.reason(answer) == "BadRequestPayload")
        #expect(world.broadcast(channel, "{}") == 200)
    }

    @Test func channelsOfOthers() throws {
        var world = try TestWorld()
        let id = try world.apns.addChannel(
            id: "dHN0LXNyY2gtY2hubA==", bundleID: TestWorld.bundle, policy: .none, nowMilliseconds: world.now)
        #expect(world.broadcast(id, TestWorld.body(1, ball: 1)) == 200)
        #expect(throws: PopulationFault.full) {
            try world.apns.addChannel(
                id: id, bundleID: TestWorld.bundle, policy: .none, nowMilliseconds: world.now)
        }
        #expect(throws: PopulationFault.unknownApp) {
            try world.apns.addChannel(bundleID: "com.other", policy: .none, nowMilliseconds: world.now)
        }
    }
}
