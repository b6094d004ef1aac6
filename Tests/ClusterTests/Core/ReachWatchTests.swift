import Delivery
import Testing

@testable import Cluster

@Suite struct ReachWatchTests {
    private var watch = ReachWatch(lost: 2_000, found: 5_000)

    private mutating func advance(_ now: Int64) -> Bool { watch.advance(now: now) }

    @Test mutating func whatIsLostForAWhileIsCutOff() {
        #expect(watch.nextDeadline == nil && !advance(0))
        watch.take(.lost(since: 1_000), now: 1_500)
        #expect(watch.nextDeadline == 3_000 && !advance(2_999) && !watch.isCutOff)
        #expect(advance(3_000) && watch.isCutOff)
        #expect(watch.nextDeadline == nil && !advance(60_000))
    }

    @Test mutating func whatComesBackInTimeIsNot() {
        watch.take(.lost(since: 1_000), now: 1_000)
        watch.take(.reached, now: 2_900)
        #expect(watch.nextDeadline == nil && !advance(10_000) && !watch.isCutOff)
    }

    @Test mutating func whatIsFoundHasToStay() {
        watch.take(.lost(since: 0), now: 0)
        #expect(advance(2_000))
        watch.take(.reached, now: 10_000)
        #expect(watch.nextDeadline == 15_000 && !advance(14_999))
        watch.take(.lost(since: 14_000), now: 14_000)
        #expect(watch.nextDeadline == nil && !advance(30_000) && watch.isCutOff)
        watch.take(.idle, now: 31_000)
        watch.take(.reached, now: 33_000)
        #expect(watch.nextDeadline == 36_000 && advance(36_000) && !watch.isCutOff)
    }
}
