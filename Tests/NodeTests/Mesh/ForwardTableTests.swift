import Testing
import Wire

@testable import Node

@Suite struct ForwardTableTests {
    private func member(_ number: UInt64, generation: UInt64 = 1) -> Member {
        Member(
            id: NodeID(high: 0, low: number), incarnation: Incarnation(generation: generation), name: "n\(number)",
            control: "tcp://127.0.0.1:1", data: "tcp://127.0.0.1:2")
    }

    @Test func onlyWhoWasAskedAnswersAndOnlyOnce() {
        var table = ForwardTable()
        table.add(7, to: member(1), now: 0)
        let asked: [(UInt64, UInt64)] = [(7, 2), (8, 1), (7, 1), (7, 1)]
        let answers = asked.map { origin, node in table.answered(origin, by: member(node).id) }
        #expect(answers == [false, false, true, false] && table.count == 0)
        let over = table.expire(now: 1_000_000)
        #expect(over.isEmpty, "an answered request does not run out")
    }

    @Test func timeRunsOutInOrder() {
        var table = ForwardTable()
        for origin: UInt64 in 1...5 { table.add(origin, to: member(1), now: Int64(origin) * 10) }
        let limit = ForwardTable.timeoutMilliseconds
        let early = table.expire(now: 9 + limit)
        #expect(early.isEmpty)
        let isInTime = table.answered(2, by: member(1).id)
        #expect(isInTime)
        let first = table.expire(now: 30 + limit)
        #expect(first == [1, 3])
        let isLate = !table.answered(3, by: member(1).id)
        #expect(isLate)
        let rest = table.expire(now: 50 + limit)
        #expect(rest == [4, 5] && table.count == 0)
    }

    @Test func theRequestsOfAnOldRunAreGivenUp() {
        var table = ForwardTable()
        table.add(1, to: member(1), now: 0)
        table.add(2, to: member(1, generation: 2), now: 0)
        table.add(3, to: member(2), now: 0)
        table.add(4, to: member(1), now: 0)
        let gone = table.abandon { node, generation in node == member(1).id && generation < 2 }
        #expect(gone == [1, 4] && table.count == 2)
        let none = table.abandon { _, _ in false }
        let all = table.abandon { _, _ in true }
        #expect(none.isEmpty && all == [2, 3])
    }

    @Test func whatMovedAndWhatDidNotLeaveIsGivenUp() {
        var table = ForwardTable()
        table.add(1, to: member(1), shard: 7, now: 0)
        table.add(2, to: member(1), shard: 8, now: 0)
        table.add(3, to: member(1), now: 0)
        let moved = table.abandonMoved { shard in shard == 7 ? member(2).id : member(1).id }
        #expect(moved == [1] && table.count == 2)
        let taken = [2, 2, 1, 9].map { table.takeBack($0) }
        #expect(taken == [true, false, false, false] && table.count == 1)
    }

    @Test func aFullTableSaysSo() {
        var table = ForwardTable()
        for origin in 0..<UInt64(ForwardTable.capacity) { table.add(origin, to: member(1), now: 0) }
        #expect(table.isFull)
        let over = table.expire(now: ForwardTable.timeoutMilliseconds)
        #expect(over.count == ForwardTable.capacity && !table.isFull)
    }
}

@Suite struct ReceiptRoutesTests {
    @Test func oldRoutesMakeRoom() {
        var routes = ReceiptRoutes()
        let call = PeerCall(node: NodeID(high: 1, low: 1), generation: 1, request: 2, session: 3)
        for origin in 1...UInt64(ReceiptRoutes.capacity + 10) { routes.add(origin, call) }
        #expect(routes[10] == nil && routes[11] == call && routes[UInt64(ReceiptRoutes.capacity + 10)] == call)
    }
}
