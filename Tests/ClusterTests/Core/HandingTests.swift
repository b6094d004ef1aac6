import Testing

@testable import Cluster

/// How many names of a node that hands over are without service at once.
@Suite struct HandingTests {
    private func draining() -> Handing {
        var handing = Handing()
        handing.drain(isFinal: false, announceUntil: 0, giveUpAt: .max)
        return handing
    }

    private func looks(_ handing: inout Handing, _ now: Int64) -> Bool { handing.isDue(now: now) }

    @Test func aShardCountsUntilItsNewOwnerServesIt() {
        var handing = draining()
        handing.add(1, names: 200, until: 100)
        handing.add(2, names: 300, until: 100)
        handing.add(2, names: 300, until: 100)
        #expect(handing.count == 2 && handing.names == 500)
        handing.moveOn(1, now: 10)
        #expect(handing.count == 2 && handing.names == 500)
        handing.noteServed(1)
        handing.noteServed(1)
        #expect(handing.count == 1 && handing.names == 300)
        handing.noteServed(2)
        #expect(handing.count == 1, "it is not let go yet")
        handing.forget(2)
        #expect(handing.count == 0 && handing.names == 0)
    }

    @Test func aShardOfWhichNothingIsHeardCountsForAMoment() {
        var handing = draining()
        handing.add(1, names: 200, until: 100)
        handing.moveOn(1, now: 1_000)
        #expect(looks(&handing, 1_499) && handing.count == 1)
        #expect(looks(&handing, 1_509) && handing.count == 0 && handing.names == 0)
    }

    @Test func aShardThatComesBackCountsOnce() {
        var handing = draining()
        handing.add(1, names: 200, until: 100)
        handing.moveOn(1, now: 10)
        handing.add(1, names: 210, until: 200)
        #expect(handing.count == 1 && handing.names == 210)
    }

    @Test func whatIsWantedWaitsForRoom() {
        var handing = Handing()
        #expect(handing.nextDeadline == nil)
        handing.want(1, epoch: 4)
        handing.want(1, epoch: 5)
        #expect(handing.wanted == [1: 5] && handing.count == 0)
        #expect(looks(&handing, 10) && !looks(&handing, 15))
        handing.unwant(1)
        handing.add(1, names: 7, until: 100)
        handing.want(1, epoch: 5)
        #expect(handing.wanted.isEmpty, "it is under way already")
        handing.moveOn(1, now: 16)
        handing.noteServed(1)
        #expect(handing.nextDeadline == nil)
    }

    @Test func aServedShardMakesRoomAtOnce() {
        var handing = draining()
        handing.add(1, names: 200, until: 100)
        handing.moveOn(1, now: 10)
        #expect(looks(&handing, 10) && !looks(&handing, 11))
        handing.noteServed(1)
        #expect(looks(&handing, 11))
    }
}
