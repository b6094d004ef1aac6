import LiveActivity
import SimulatedAPNs
import Testing

@Suite struct FaultTests {
    private func match(
        _ sabotage: Faults.Sabotage?, reorder: Int64 = 0, lost: Int = 0, ends: Int = 1
    ) throws -> TestWorld {
        var world = try TestWorld()
        let channel = world.createChannel()
        for _ in 0..<20 { try _ = world.follower(of: channel) }
        world.apns.faults.sabotage = sabotage
        world.apns.faults.reorderMilliseconds = reorder
        world.apns.faults.lostOneIn = lost
        for ball in 1...50 {
            world.broadcast(channel, TestWorld.body(Int64(ball), ball: ball, alert: ball % 10 == 0 ? "W\(ball)" : nil))
            world.now += 100
            world.apns.advance(toMilliseconds: world.now, into: &world.effects)
        }
        for again in 0..<ends {
            world.broadcast(channel, TestWorld.body(51 + Int64(again), ball: 51, event: "end"))
        }
        world.apns.advance(toMilliseconds: world.now + 10_000, into: &world.effects)
        return world
    }

    private func final(_ world: TestWorld) -> ConditionState {
        world.apns.state(of: Condition(.everything, .field(name: "ball", value: .integer(51)), activitiesMin: 20))
    }

    @Test func withoutFaultsAllIsWell() throws {
        let world = try match(nil)
        #expect(final(world).isMet)
        #expect(world.apns.counters.wentBack == 0)
        #expect(world.apns.counters.rangTwice == 0)
        #expect(world.apns.counters.rings == 100)
    }

    @Test func reorderedDeliveriesDoNoHarm() throws {
        let world = try match(nil, reorder: 1000)
        #expect(world.apns.counters.ignoredOlder > 0)
        #expect(world.apns.counters.wentBack == 0)
        #expect(world.apns.state(of: Condition(.everything, .ended)).isMet)
    }

    @Test func lostDeliveriesAreCounted() throws {
        let world = try match(nil, lost: 4)
        #expect(world.apns.counters.lost > 100)
        #expect(world.apns.counters.lost + world.apns.counters.delivered == 51 * 20)
    }

    @Test func droppingTheLastIsVisible() throws {
        let world = try match(.dropLast)
        #expect(!final(world).isMet)
        #expect(world.apns.counters.wentBack == 0)
        #expect(world.apns.state(of: Condition(.everything, .newestStamp)).fulfilled == 0)
    }

    /// A new owner sends the newest message again.
    @Test func droppingTheLastSurvivesItsRepetition() throws {
        let world = try match(.dropLast, ends: 2)
        #expect(!final(world).isMet)
        #expect(world.apns.state(of: Condition(.everything, .ended)).fulfilled == 0)
    }

    @Test func disobedientDevicesGoBack() throws {
        #expect(try match(.reorder).apns.counters.wentBack > 0)
    }

    @Test func doubleRingsAreVisible() throws {
        let world = try match(.doubleRing)
        #expect(world.apns.counters.rangTwice == 100)
        #expect(final(world).isMet)
    }

    @Test func unansweredRequestsAreCarriedOut() throws {
        var world = try TestWorld()
        let channel = world.createChannel()
        let follower = try world.follower(of: channel)
        world.apns.faults.unansweredOneIn = 2
        let statuses = (1...4).map { world.broadcast(channel, TestWorld.body($0, ball: Int($0))) }
        #expect(statuses.filter { $0 == nil }.count == 2)
        #expect(world.shown(follower.activity) == 4)
        #expect(world.apns.counters.unanswered == 2)
    }

    @Test func theSameSeedGivesTheSameWorld() throws {
        let first = try match(nil, reorder: 500, lost: 7)
        let second = try match(nil, reorder: 500, lost: 7)
        #expect(first.effects == second.effects)
        #expect(first.apns.report() == second.apns.report())
    }
}
