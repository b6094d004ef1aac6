import SimulatedAPNs
import Testing

/// Whatever a client sends, the world answers exactly once and stays usable.
@Suite struct FuzzTests {
    @Test func anyRequestIsAnsweredOnce() throws {
        var world = try TestWorld(rules: Rules(errorsMax: nil))
        let channel = world.createChannel(policy: 1)
        let follower = try world.follower(of: channel)
        let holder = try world.holder()
        var random = SplitMix64(seed: 11)
        let names = [
            ":method", ":path", "apns-id", "apns-request-id", "apns-push-type", "apns-topic", "apns-priority",
            "apns-expiration", "apns-collapse-id", "apns-channel-id", "x",
        ]
        for _ in 0..<3000 {
            let isBroadcast = random.below(2) == 0
            var fields = isBroadcast ? TestWorld.broadcastFields(channel) : TestWorld.deviceFields(holder.token)
            for _ in 0..<random.below(3) {
                let name = names[Int(random.below(Int64(names.count)))]
                let value = String(decoding: random.bytes(Int(random.below(80))), as: UTF8.self)
                if random.below(2) == 0 { fields.removeAll { $0.0 == name } }
                fields.append((name, value))
            }
            var body = Array(TestWorld.body(random.below(1000), ball: Int(random.below(10)), alert: "A").utf8)
            for _ in 0..<random.below(3) {
                body[Int(random.below(Int64(body.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            let answer = world.send(
                fields, body: String(decoding: body, as: UTF8.self), on: 1 + UInt64(random.below(2)))
            #expect(answer != nil)
        }
        #expect(world.apns.counters.accepted + world.apns.counters.refusedTotal == 3001)
        // A spoiled stamp may have been far ahead or the activity ended; what is shown is never older.
        #expect(world.broadcast(channel, TestWorld.body(999, ball: 100)) == 200)
        #expect(try #require(world.shown(follower.activity)) >= 900)
    }
}
