import Cluster
import Delivery
import LiveActivity
import Testing
import Wire

@testable import SimulatedCluster

/// The parts of a world, one by one.
@Suite struct PartsTests {
    @Test func whatIsPlannedFirstComesFirst() {
        var agenda = Agenda<Int>()
        for (item, time) in [(1, 30), (2, 10), (3, 20), (4, 10)] as [(Int, Int64)] { agenda.plan(item, at: time) }
        var seen: [Int] = []
        while let (_, item) = agenda.next(before: 30) { seen.append(item) }
        #expect(seen == [2, 4, 3])
        #expect(agenda.count == 1)
    }

    @Test func clocksComeBackToTheWorldsTime() {
        for rate: Int64 in [-10_000, 0, 10_000] {
            let clock = SimulatedClock(skewMilliseconds: 500, ratePPM: rate, bootOffset: 77)
            for time: Int64 in [0, 1, 999, 123_456] {
                let boot = clock.moment(at: time).bootMilliseconds
                let back = clock.time(ofBoot: boot)
                #expect(back <= time && clock.moment(at: back).bootMilliseconds >= boot)
            }
            #expect(clock.time(ofBoot: .min) == 0)
        }
    }

    @Test func aClockThatIsSetStepsOnlyItsWall() {
        for rate: Int64 in [-10_000, 0, 10_000] {
            var clock = SimulatedClock(skewMilliseconds: 9_000, ratePPM: rate, bootOffset: 77)
            let before = clock.moment(at: 60_000)
            let planned = before.bootMilliseconds + 1_500
            clock.set(at: 60_000, skewMilliseconds: -50, ratePPM: 100)
            let after = clock.moment(at: 60_000)
            #expect(after.bootMilliseconds == before.bootMilliseconds)
            #expect(after.wallMilliseconds == SimulatedClock.start + 59_950)
            // The past is as it was.
            #expect(clock.moment(at: 59_999).wallMilliseconds > after.wallMilliseconds + 8_000)
            #expect(clock.moment(at: 59_999).bootMilliseconds <= after.bootMilliseconds)
            // What was planned comes, by the new rate.
            #expect(clock.time(ofBoot: planned) == 61_500)
            #expect(clock.time(ofBoot: 0) == 60_000)
            #expect(clock.moment(at: 1_060_000).bootMilliseconds == after.bootMilliseconds + 1_000_100)
        }
    }

    @Test func batchesAreAtomicAndFailuresHoldUpWhatFollows() {
        var disk = SimulatedDisk()
        let write = [StoreWrite(kind: .charter, key: [1], value: [2])]
        var outcomes: [SimulatedDisk.Outcome] = []
        let begins = disk.write(1, write, isRetry: false)
        #expect(begins)
        disk.crash()
        #expect(disk.rows.isEmpty)
        _ = disk.write(1, write, isRetry: false)
        _ = disk.commit(fails: true, into: &outcomes)
        _ = disk.write(2, write, isRetry: false)
        _ = disk.commit(fails: false, into: &outcomes)
        #expect(disk.rows.isEmpty)
        _ = disk.write(3, write, isRetry: true)
        _ = disk.commit(fails: false, into: &outcomes)
        #expect(disk.rows.count == 1)
        #expect(outcomes.count == 3)
    }

    @Test func dataKeepsItsOrderAndACutHoldsIt() {
        var network = SimulatedNetwork(nodes: 2)
        var dice = Dice(seed: 1)
        network.weather.delayMilliseconds = 0...50
        var last: Int64 = 0
        for time: Int64 in 0..<100 {
            var parcel = Self.parcel
            var arrivals: [Int64] = []
            network.send(&parcel, now: time, dice: &dice, arrivals: &arrivals)
            #expect(arrivals.count == 1 && arrivals[0] >= last)
            last = arrivals[0]
        }
        network.cut(0, 1, now: 200)
        var parcel = Self.parcel
        var arrivals: [Int64] = []
        network.send(&parcel, now: 201, dice: &dice, arrivals: &arrivals)
        #expect(arrivals.isEmpty)
        #expect(network.mend(0, 1, now: 300, dice: &dice).count == 1)
    }

    private static var parcel: Parcel {
        Parcel(
            from: 0, to: 1, toRun: 1, header: .init(cluster: .none, sender: .none, generation: 1),
            content: .data(.replication(.copied(stream: 1, refused: []))))
    }

    @Test func nothingFollowsAStartBeforeItsAnswer() throws {
        var dice = Dice(seed: 1)
        let key = try #require(Key(app: "shop", kind: .activity, name: "a"))
        var producer = Producer(
            index: 3, key: key, periodMilliseconds: 1, stopsAt: 1, endsPerMille: 0, startsByPush: true)
        let first = producer.next(&dice)
        let start = try #require(first)
        #expect(start.kind == .start && start.hasAlert && EventMark(in: start.payload) == start.mark)
        producer.startedAt[1] = 5
        let early = producer.next(&dice)
        producer.acknowledge(start.mark)
        let next = producer.next(&dice)
        #expect(early?.mark == nil && next?.kind == .update)
        // Nobody knows how a start stands whose answer may be lost.
        var other = Producer(
            index: 3, key: key, periodMilliseconds: 1, stopsAt: 1, endsPerMille: 0, startsByPush: true)
        _ = other.next(&dice)
        other.loseAnswers()
        #expect(other.isDone && other.unanswered.isEmpty)
    }

    @Test func marksAreFoundInPayloads() {
        let event = SimulatedEvent(
            mark: EventMark(producer: 3, instance: 2, number: 41), kind: .update, important: false, hasAlert: true)
        #expect(EventMark(in: [0, 9] + event.payload) == event.mark)
        #expect(EventMark(in: [1, 2, 3]) == nil)
    }
}
