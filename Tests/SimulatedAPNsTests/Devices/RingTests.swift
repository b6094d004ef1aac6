import SimulatedAPNs
import Testing

/// One alert is one ring; the same again is noticed.
@Suite struct RingTests {
    @Test func everyAlertRingsOnce() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        world.broadcast(channel, TestWorld.body(1, ball: 1, alert: "W1"))
        world.broadcast(channel, TestWorld.body(2, ball: 2))
        world.broadcast(channel, TestWorld.body(3, ball: 3, alert: "W1"))
        #expect(world.apns.counters.rings == 2)
        #expect(world.apns.counters.rangTwice == 0)
        #expect(world.apns.report(ofActivity: follower.activity)?.rings == 2)
    }

    @Test func theSameAlertWithTheSameContentRingsTwice() throws {
        var world = try TestWorld()
        let holder = try world.holder()
        world.push(holder.token, TestWorld.body(1, ball: 1, alert: "W"))
        // With the same stamp the device ignores it; with a fresh one it rings again.
        world.push(holder.token, TestWorld.body(1, ball: 1, alert: "W"))
        #expect(world.apns.counters.rangTwice == 0)
        world.push(holder.token, TestWorld.body(2, ball: 1, alert: "W"))
        #expect(world.apns.counters.rangTwice == 1)
        #expect(world.apns.report(ofActivity: holder.activity)?.rangTwice == 1)
        // A replay without its alert does not ring.
        world.push(holder.token, TestWorld.body(3, ball: 1))
        #expect(world.apns.counters.rings == 2)
    }

    @Test func whatIsNotShownDoesNotRing() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        try _ = world.follower(of: channel)
        world.broadcast(channel, TestWorld.body(5, ball: 1))
        world.broadcast(channel, TestWorld.body(4, ball: 2, alert: "W"))
        world.broadcast(channel, TestWorld.body(6, ball: 2, alert: "W", state: "{}"))
        #expect(world.apns.counters.rings == 0)
    }

    @Test func manyRingsAreRememberedWithinBounds() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        try _ = world.follower(of: channel)
        for ball in 1...Limits.ringsRemembered + 10 {
            world.broadcast(channel, TestWorld.body(Int64(ball), ball: ball, alert: "W"))
        }
        #expect(world.apns.counters.rings == Limits.ringsRemembered + 10)
        #expect(world.apns.counters.rangTwice == 0)
    }

    @Test func ordinaryTokensShowBanners() throws {
        var world = try TestWorld()
        let device = try world.apns.addDevices(1).lowerBound
        let token = try world.apns.addOrdinaryToken(bundleID: TestWorld.bundle, device: device)
        let answer = world.send(
            [
                (":method", "POST"), (":path", "/3/device/" + token), ("apns-topic", TestWorld.bundle),
                ("apns-push-type", "alert"),
            ], body: "{\"aps\":{\"alert\":\"started\"}}")
        #expect(answer?.status == 200)
        #expect(world.apns.device(device)?.banners == 1)
    }
}
