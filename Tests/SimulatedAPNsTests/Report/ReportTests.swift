import LiveActivity
import SimulatedAPNs
import Testing

@Suite struct ReportTests {
    @Test func channelsAndTokens() throws {
        var world = try TestWorld()
        let channel = world.createChannel(policy: 1)
        let online = try world.follower(of: channel)
        let offline = try world.follower(of: channel, online: false)
        let holder = try world.holder()
        world.broadcast(channel, TestWorld.body(1, ball: 1), expiration: String(world.now / 1000 + 60))
        world.push(holder.token, TestWorld.body(2, ball: 2))
        let report = world.apns.report()
        #expect(report.devices == 3)
        #expect(report.devicesOnline == 2)
        #expect(report.activities == 3)
        let first = try #require(report.channels.first)
        #expect(first.id == channel)
        #expect(first.accepted == 1)
        #expect(first.newestStampSeconds == TestWorld.stamp(1))
        #expect(first.isStoring)
        #expect(first.shown.online == 1)
        #expect(first.shown.offline == 1)
        #expect(first.shown.currentOnline == 1)
        #expect(first.shown.groups.map(\.stampSeconds) == [TestWorld.stamp(1), nil])
        #expect(String(decoding: first.shown.newestState, as: UTF8.self) == "{\"ball\":1}")
        let tokens = try #require(report.tokensByApp.first)
        #expect(tokens.activityTokens == 1)
        #expect(tokens.accepted == 1)
        #expect(tokens.shown.currentOnline == 1)
        #expect(world.apns.report(ofActivity: online.activity)?.channelID == channel)
        #expect(world.apns.report(ofActivity: offline.activity)?.isOnline == false)
        #expect(world.apns.report(ofActivity: -1) == nil)
        #expect(world.apns.report(ofChannel: "x") == nil)
    }

    @Test func conditionsCountOnlineActivitiesOnly() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let none = world.apns.state(of: Condition(.channel(channel), .ended))
        #expect(!none.isMet)
        try _ = world.follower(of: channel)
        try _ = world.follower(of: channel, online: false)
        world.broadcast(channel, TestWorld.body(5, ball: 5, alert: "W"))
        let demands: [(Condition.Demand, Bool)] = [
            (.stampAtLeast(TestWorld.stamp(5)), true), (.stampAtLeast(TestWorld.stamp(6)), false),
            (.newestStamp, true), (.rings(1), true), (.rings(2), false), (.ended, false),
            (.field(name: "ball", value: .integer(5)), true), (.field(name: "ball", value: .integer(6)), false),
        ]
        for (demand, isMet) in demands {
            #expect(world.apns.state(of: Condition(.channel(channel), demand)).isMet == isMet)
            #expect(!world.apns.state(of: Condition(.channel(channel), demand, activitiesMin: 2)).isMet)
        }
    }

    @Test func historyIsBounded() throws {
        var world = try TestWorld()
        let holder = try world.holder()
        for ball in 1...40 { world.push(holder.token, TestWorld.body(Int64(ball), ball: ball)) }
        let history = try #require(world.apns.report(ofActivity: holder.activity)?.history)
        #expect(history.map { $0.stampSeconds - TestWorld.stamp(0) } == (25...40).map { Int64($0) })
    }

    @Test func countersStartAnew() throws {
        var world = try TestWorld()
        let holder = try world.holder()
        world.push(holder.token, TestWorld.body(1, ball: 1, alert: "W"))
        world.apns.resetCounters()
        #expect(world.apns.counters == Counters())
        #expect(world.apns.report(ofActivity: holder.activity)?.rings == 0)
        // It still knows what rang.
        world.push(holder.token, TestWorld.body(2, ball: 1, alert: "W"))
        #expect(world.apns.counters.rangTwice == 1)
    }
}
