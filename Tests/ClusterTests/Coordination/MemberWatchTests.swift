import Testing
import Wire

@testable import Cluster

/// Who comes and goes, as the coordinator remembers it.
@Suite struct MemberWatchTests {
    private let me = NodeID(high: 1, low: 0)
    private let other = NodeID(high: 2, low: 0)
    private let settings = CoordinatorSettings()

    private enum State {
        case holds, lapsed, dead
    }

    private func see(_ watch: inout MemberWatch, _ state: State, coordinator: State = .holds, at now: Int64) {
        func sighting(_ node: NodeID, _ state: State) -> MemberWatch.Sighting {
            .init(node: node, isAlive: state != .dead, mayAct: state == .holds, hasLapsed: state != .holds)
        }
        watch.observe([sighting(me, coordinator), sighting(other, state)], me: me, now: now)
    }

    /// A member that has lost its lease so often and has one again, at `now`.
    private func lapsed(_ times: Int) -> (watch: MemberWatch, now: Int64) {
        var watch = MemberWatch(settings: settings)
        var now: Int64 = 0
        see(&watch, .holds, at: now)
        for _ in 0..<times {
            now += 3000
            see(&watch, .lapsed, at: now)
            now += 100
            see(&watch, .holds, at: now)
        }
        return (watch, now)
    }

    @Test func oneLapseIsForgiven() {
        var (watch, now) = lapsed(1)
        #expect(watch.isSettled(other, now: now) && watch.settles(other, now: now) == nil)
        #expect(watch.takeFlapping().isEmpty)
    }

    @Test(arguments: [(2, 10_000), (3, 20_000), (4, 40_000), (16, 600_000)] as [(Int, Int64)])
    func everyFurtherLapseDoublesThePenalty(times: Int, penalty: Int64) {
        var (watch, now) = lapsed(times)
        #expect(watch.settles(other, now: now) == now + penalty)
        #expect(!watch.isSettled(other, now: now + penalty - 1) && watch.isSettled(other, now: now + penalty))
        #expect(watch.isSettled(me, now: now))
        #expect(watch.takeFlapping().count == times - 1 && watch.takeFlapping().isEmpty)
    }

    @Test func lapsesAreForgottenAfterTheFlapTime() {
        var (watch, now) = lapsed(5)
        now += settings.flapMilliseconds + 1
        see(&watch, .holds, at: now)
        see(&watch, .lapsed, at: now + 3000)
        see(&watch, .holds, at: now + 3100)
        #expect(watch.isSettled(other, now: now + 3100))
    }

    @Test func aLapseThatEndsInDeathCountsOnceAsDeath() {
        var watch = MemberWatch(settings: settings)
        see(&watch, .holds, at: 0)
        see(&watch, .lapsed, at: 3000)
        see(&watch, .dead, at: 4000)
        see(&watch, .holds, at: 5000)
        #expect(watch.settles(other, now: 5000) == 5000 + settings.promoteAfterMilliseconds)
        see(&watch, .lapsed, at: 8000)
        see(&watch, .holds, at: 8100)
        #expect(watch.settles(other, now: 8100) == 15_000, "the one lapse is forgiven")
    }

    @Test func aCoordinatorThatStalledBlamesNobody() {
        var watch = MemberWatch(settings: settings)
        see(&watch, .holds, at: 0)
        for round in 1...5 as ClosedRange<Int64> {
            let now = round * 20_000
            see(&watch, .lapsed, coordinator: .lapsed, at: now)
            see(&watch, .lapsed, at: now + 100)
            see(&watch, .holds, at: now + 300)
        }
        #expect(watch.isSettled(other, now: 101_000))
    }

    @Test func whoWaitsForItsLeaseIsNotBlamedTwice() {
        var watch = MemberWatch(settings: settings)
        see(&watch, .holds, at: 0)
        for now in stride(from: 3000, to: 9000, by: 100) { see(&watch, .lapsed, at: Int64(now)) }
        see(&watch, .holds, at: 9000)
        see(&watch, .holds, at: 9100)
        #expect(watch.isSettled(other, now: 9100))
    }
}
