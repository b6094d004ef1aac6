import SimulatedAPNs
import Testing

/// Push-to-start: what starts an activity, and what is dropped without a word.
@Suite struct StartTests {
    private func body(
        _ change: String = "", attributes: String = "{\"id\":\"x\"}", alert: String? = "{\"title\":\"t\"}"
    ) -> String {
        let alertMember = alert.map { ",\"alert\":\($0)" } ?? ""
        return """
            {"aps":{"timestamp":\(TestWorld.stamp(1)),"event":"start","content-state":{"ball":0},\
            "attributes-type":"Match","attributes":\(attributes)\(alertMember)\(change)}}
            """
    }

    private func world() throws -> (TestWorld, device: Int, token: String) {
        var world = try TestWorld()
        let device = try world.apns.addDevices(1).lowerBound
        let token = try world.apns.addStartToken(
            bundleID: TestWorld.bundle, device: device, attributesType: "Match")
        return (world, device, token)
    }

    @Test func aStartGivesAnActivityWithAToken() throws {
        var (world, device, token) = try world()
        #expect(token.utf8.count == 160)
        #expect(world.push(token, body(",\"input-push-token\":1")) == 200)
        let issued = world.apns.tokensIssuedByStarts
        #expect(issued.count == 1)
        #expect(world.apns.device(device)?.activities.count == 1)
        #expect(world.apns.counters.rings == 1)
        #expect(world.push(issued[0], TestWorld.body(2, ball: 1)) == 200)
        #expect(world.apns.activity(ofToken: issued[0]).flatMap(world.shown) == 2)
    }

    @Test func aStartMayFollowAChannel() throws {
        var (world, device, token) = try world()
        let channel = world.createChannel()
        world.push(token, body(",\"input-push-channel\":\"\(channel)\""))
        world.broadcast(channel, TestWorld.body(2, ball: 1))
        #expect(world.apns.device(device)?.activities.first.flatMap(world.shown) == 2)
    }

    @Test func droppedStarts() throws {
        var (world, device, token) = try world()
        let bodies = [
            body(alert: nil), body(alert: "{\"title-loc-key\":\"k\"}"), body(attributes: "{}"),
            body(",\"input-push-channel\":\"AAAA\""), body().replacingEvent(), body(attributes: "1"),
        ]
        for body in bodies { #expect(world.push(token, body) == 200) }
        #expect(world.apns.counters.startsDropped == bodies.count)
        #expect(world.apns.device(device)?.activities.isEmpty == true)
    }

    @Test func aDeviceCarriesOnlySoMany() throws {
        var (world, device, token) = try world()
        for _ in 0..<Limits.activitiesPerDevice + 2 { world.push(token, body()) }
        #expect(world.apns.device(device)?.activities.count == Limits.activitiesPerDevice)
        #expect(world.apns.counters.startsDropped == 2)
    }
}

extension String {
    /// The same body as an update.
    fileprivate func replacingEvent() -> String {
        split(separator: "\"start\"", omittingEmptySubsequences: false).joined(separator: "\"update\"")
    }
}
