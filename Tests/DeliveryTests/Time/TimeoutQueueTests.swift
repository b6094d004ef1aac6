import Testing

@testable import Delivery

@Suite struct TimeoutQueueTests {
    func expired(_ queue: inout TimeoutQueue, _ time: Int64) -> [UInt64] {
        var result: [UInt64] = []
        queue.expire(now: moment(time), into: &result)
        return result
    }

    @Test func expiresInOrder() {
        var queue = TimeoutQueue(timeoutMilliseconds: 10)
        for identifier in 1...3 { queue.start(UInt64(identifier), now: moment(Int64(identifier))) }
        queue.start(1, now: moment(9))
        #expect(queue.nextDeadline == 11 && queue.count == 3)
        #expect(expired(&queue, 10).isEmpty)
        #expect(expired(&queue, 12) == [1, 2])
        #expect(expired(&queue, 100) == [3])
        #expect(queue.nextDeadline == nil && queue.count == 0)
    }

    @Test func finishedOnesDoNotExpire() {
        var queue = TimeoutQueue(timeoutMilliseconds: 10)
        for identifier in 1...4 { queue.start(UInt64(identifier), now: moment(0)) }
        let first = queue.finish(1)
        let again = queue.finish(1)
        let unknown = queue.finish(99)
        #expect(first && !again && !unknown)
        queue.finish(3)
        #expect(expired(&queue, 10) == [2, 4])
        queue.finish(2)
        #expect(queue.count == 0)
    }

    @Test func timeGoingBackwardsKeepsTheOrder() {
        var queue = TimeoutQueue(timeoutMilliseconds: 10)
        queue.start(1, now: moment(1_000))
        queue.start(2, now: moment(0))
        #expect(expired(&queue, 1_009).isEmpty)
        #expect(expired(&queue, 1_010) == [1, 2])
    }

    @Test func longQueuesAreCompacted() {
        var queue = TimeoutQueue(timeoutMilliseconds: 5)
        for identifier in 0..<20_000 as Range<UInt64> {
            queue.start(identifier, now: moment(Int64(identifier)))
            if identifier % 2 == 0 { queue.finish(identifier) }
            _ = expired(&queue, Int64(identifier))
            #expect(queue.count <= 6)
        }
    }
}
