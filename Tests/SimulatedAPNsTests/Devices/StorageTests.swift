import SimulatedAPNs
import Testing

/// What a device gets that was offline: Docs/APNs.md section 6.
@Suite struct StorageTests {
    private static let later = String(TestWorld.startMilliseconds / 1000 + 3600)

    @Test func policyZeroStoresNothing() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 0)
        let follower = try world.follower(of: channel, online: false)
        world.broadcast(channel, TestWorld.body(1, ball: 1))
        try world.apns.setOnline(true, device: follower.device, nowMilliseconds: world.now)
        #expect(world.shown(follower.activity) == nil)
        #expect(world.apns.counters.missedOffline == 1)
        world.broadcast(channel, TestWorld.body(2, ball: 2))
        #expect(world.shown(follower.activity) == 2)
    }

    @Test func policyOneStoresTheMostRecent() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 1)
        let follower = try world.follower(of: channel, online: false)
        for offset: Int64 in 1...3 {
            world.broadcast(channel, TestWorld.body(offset, ball: Int(offset)), expiration: Self.later)
        }
        try world.apns.setOnline(true, device: follower.device, nowMilliseconds: world.now)
        #expect(world.shown(follower.activity) == 3)
        #expect(world.apns.counters.shown == 1)
        // It is offered once.
        try world.apns.setOnline(false, device: follower.device, nowMilliseconds: world.now)
        try world.apns.setOnline(true, device: follower.device, nowMilliseconds: world.now)
        #expect(world.apns.counters.delivered == 1)
    }

    @Test func expirationZeroIsOneAttempt() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 1)
        let follower = try world.follower(of: channel, online: false)
        world.broadcast(channel, TestWorld.body(1, ball: 1), expiration: "0")
        try world.apns.setOnline(true, device: follower.device, nowMilliseconds: world.now)
        #expect(world.shown(follower.activity) == nil)
    }

    @Test func storedMessagesExpire() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 1)
        let follower = try world.follower(of: channel, online: false)
        let farAway = String(world.now / 1000 + 30 * 86_400)
        world.broadcast(channel, TestWorld.body(1, ball: 1), expiration: farAway)
        let eightHours = world.now + Limits.broadcastStoredMilliseconds
        try world.apns.setOnline(true, device: follower.device, nowMilliseconds: eightHours)
        #expect(world.shown(follower.activity) == nil)
        #expect(world.apns.counters.storedExpired == 1)
    }

    @Test func lateJoinersGetNothingUnlessReadOtherwise() throws {
        for getsIt in [false, true] {
            var rules = Rules()
            rules.readings.lateJoinersGetStoredMessage = getsIt
            var world = try TestWorld(rules: rules)
            let channel = world.createChannel(policy: 1)
            world.broadcast(channel, TestWorld.body(1, ball: 1), expiration: Self.later)
            let online = try world.follower(of: channel)
            let offline = try world.follower(of: channel, online: false)
            try world.apns.setOnline(true, device: offline.device, nowMilliseconds: world.now)
            #expect(world.shown(online.activity) == (getsIt ? 1 : nil))
            #expect(world.shown(offline.activity) == (getsIt ? 1 : nil))
            world.broadcast(channel, TestWorld.body(2, ball: 2), expiration: Self.later)
            #expect(world.shown(online.activity) == 2)
        }
    }

    @Test func aStoredOlderMessageDoesNotTakeADeviceBack() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 1)
        let follower = try world.follower(of: channel)
        world.broadcast(channel, TestWorld.body(5, ball: 5), expiration: Self.later)
        try world.apns.setOnline(false, device: follower.device, nowMilliseconds: world.now)
        world.broadcast(channel, TestWorld.body(4, ball: 4), expiration: Self.later)
        try world.apns.setOnline(true, device: follower.device, nowMilliseconds: world.now)
        #expect(world.shown(follower.activity) == 5)
        #expect(world.apns.counters.ignoredOlder == 1)
    }

    @Test func onePushPerBundleAndDevice() throws {
        var world = try TestWorld()
        let device = try world.apns.addDevices(1, online: false).lowerBound
        let tokens = try (0..<2).map { _ in
            try world.apns.addActivityToken(
                bundleID: TestWorld.bundle, device: device, schema: "Match", nowMilliseconds: world.now)
        }
        world.push(tokens[0], TestWorld.body(1, ball: 1), expiration: Self.later)
        world.push(tokens[1], TestWorld.body(2, ball: 2), expiration: Self.later)
        world.push(tokens[0], TestWorld.body(3, ball: 3), expiration: "0")
        try world.apns.setOnline(true, device: device, nowMilliseconds: world.now)
        #expect(world.apns.activity(ofToken: tokens[0]).flatMap(world.shown) == nil)
        #expect(world.apns.activity(ofToken: tokens[1]).flatMap(world.shown) == 2)
        #expect(world.apns.counters.storedOverwritten == 1)
        #expect(world.apns.counters.missedOffline == 1)
    }

    @Test func pushesExpire() throws {
        var world = try TestWorld()
        let holder = try world.holder(online: false)
        world.push(holder.token, TestWorld.body(1, ball: 1), expiration: Self.later)
        try world.apns.setOnline(true, device: holder.device, nowMilliseconds: world.now + 3_600_000)
        #expect(world.shown(holder.activity) == nil)
        #expect(world.apns.counters.storedExpired == 1)
    }

    @Test func aChannelThatDoesNotExistCannotBeFollowed() throws {
        var world = try TestWorld()
        #expect(throws: PopulationFault.unknownChannel) { try world.follower(of: "AAAA") }
        #expect(throws: PopulationFault.unknownDevice) {
            try world.apns.setOnline(true, device: 7, nowMilliseconds: world.now)
        }
    }

    @Test func devicesFollowNewChannels() throws {
        var world = try TestWorld()
        let devices = try world.apns.addDevices(3)
        try world.apns.followNewChannels(of: TestWorld.bundle, devices: devices, schema: "Match")
        let channel = world.createChannel()
        world.broadcast(channel, TestWorld.body(1, ball: 1))
        #expect(world.apns.counters.shown == 3)
    }
}
