import LiveActivity
import SimulatedAPNs
import Testing

/// When a device shows a message: both readings of Docs/APNs.md 4.3, ends, and what must never happen.
@Suite struct StampTests {
    @Test func onlyNewerStampsAreShown() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        for (offset, ball): (Int64, Int) in [(5, 1), (4, 2), (5, 3), (6, 4)] {
            world.broadcast(channel, TestWorld.body(offset, ball: ball))
        }
        #expect(world.shown(follower.activity) == 6)
        #expect(world.apns.counters.shown == 2)
        #expect(world.apns.counters.ignoredOlder == 2)
        #expect(world.apns.counters.wentBack == 0)
        let history = world.apns.report(ofActivity: follower.activity)?.history
        #expect(history?.map { $0.stampSeconds - TestWorld.stamp(0) } == [5, 6])
    }

    @Test func equalStampsByReading() throws {
        var rules = Rules()
        rules.readings.stamps = StampReading(equalIsShown: true)
        var world = try TestWorld(rules: rules)
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        for ball in 1...3 { world.broadcast(channel, TestWorld.body(5, ball: ball)) }
        #expect(world.apns.counters.shown == 3)
        #expect(
            world.apns.report(ofActivity: follower.activity).map { String(decoding: $0.state, as: UTF8.self) }
                == "{\"ball\":3}")
    }

    @Test func oldStampsByReading() throws {
        var rules = Rules()
        rules.readings.stamps = StampReading(ageSecondsMax: 10)
        var world = try TestWorld(rules: rules)
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        world.broadcast(channel, TestWorld.body(-11, ball: 1))
        #expect(world.shown(follower.activity) == nil)
        #expect(world.apns.counters.ignoredTooOld == 1)
        world.broadcast(channel, TestWorld.body(-10, ball: 1))
        #expect(world.shown(follower.activity) == -10)
    }

    @Test func endIsFinal() throws {
        var world = try TestWorld()
        let holder = try world.holder()
        world.push(holder.token, TestWorld.body(1, ball: 1))
        world.push(holder.token, "{\"aps\":{\"timestamp\":\(TestWorld.stamp(2)),\"event\":\"end\"}}")
        world.push(holder.token, TestWorld.body(3, ball: 3))
        world.push(holder.token, TestWorld.body(4, ball: 4, event: "end"))
        let report = world.apns.report(ofActivity: holder.activity)
        #expect(report?.hasEnded == true)
        #expect(report.map { String(decoding: $0.state, as: UTF8.self) } == "{\"ball\":1}")
        #expect(world.apns.counters.updatesAfterEnd == 1)
        #expect(world.apns.counters.endsAfterEnd == 1)
    }

    @Test func endedTokensByReading() throws {
        var rules = Rules()
        rules.readings.endedTokensAreUnregistered = true
        var world = try TestWorld(rules: rules)
        let holder = try world.holder()
        #expect(world.push(holder.token, TestWorld.body(1, ball: 1, event: "end")) == 200)
        #expect(world.push(holder.token, TestWorld.body(2, ball: 2)) == 410)
    }

    @Test func aFallingMonotoneFieldIsAStepBack() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        for (offset, ball): (Int64, Int) in [(1, 10), (2, 11), (3, 9), (4, 10)] {
            world.broadcast(channel, TestWorld.body(offset, ball: ball))
        }
        #expect(world.apns.counters.wentBack == 1)
        #expect(world.apns.report(ofActivity: follower.activity)?.wentBack == 1)
    }

    @Test func undecodableStatesAreNotShown() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        let states = ["{\"ball\":\"1\"}", "{}", "{\"Ball\":1}", "{\"ball\":1.5}", "{\"ball\":1,\"note\":2}"]
        for (index, state) in states.enumerated() {
            world.broadcast(channel, TestWorld.body(Int64(index), ball: 0, state: state))
        }
        #expect(world.shown(follower.activity) == nil)
        #expect(world.apns.counters.decodeFailures == 5)
        world.broadcast(channel, TestWorld.body(9, ball: 0, state: "{\"ball\":2.0,\"note\":null,\"more\":[]}"))
        #expect(world.shown(follower.activity) == 9)
    }

    @Test func flatAlertsDropTheWholePush() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        let body = """
            {"aps":{"timestamp":\(TestWorld.stamp(1)),"event":"update","content-state":{"ball":1},\
            "alert":{"loc-key":"a"}}}
            """
        #expect(world.broadcast(channel, body) == 200)
        #expect(world.shown(follower.activity) == nil)
        #expect(world.apns.counters.decodeFailures == 1)
    }

    @Test func unreadableBodiesAreAcceptedAndDropped() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        let bodies = [
            "{", "[]", "{\"aps\":1}", "{\"aps\":{}}",
            "{\"aps\":{\"timestamp\":1,\"event\":\"Update\",\"content-state\":{}}}",
            "{\"aps\":{\"event\":\"update\",\"content-state\":{\"ball\":1}}}",
            "{\"aps\":{\"timestamp\":\"1\",\"event\":\"update\",\"content-state\":{\"ball\":1}}}",
            "{\"aps\":{\"timestamp\":1,\"event\":\"update\"}}",
            "{\"aps\":{\"timestamp\":1e300,\"event\":\"update\",\"content-state\":{\"ball\":1}}}",
        ]
        for body in bodies { #expect(world.broadcast(channel, body) == 200) }
        #expect(world.shown(follower.activity) == nil)
        #expect(world.apns.counters.unreadable == bodies.count)
    }
}
