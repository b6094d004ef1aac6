import Testing

@testable import Node

@Suite struct RequestTableTests {
    private func request(_ sequence: Int64) -> PendingRequest {
        PendingRequest(sequence: sequence, kind: .publish, takenAtNanoseconds: 0)
    }

    @Test func anOriginCarriesItsSessionAndWhetherReceiptsAreWanted() {
        var table = RequestTable()
        for session: UInt32 in [1, 7, .max] {
            for receipts in [false, true] {
                let origin = table.add(request(3), session: session, receipts: receipts)
                #expect(RequestTable.session(of: origin) == session)
                #expect(RequestTable.wantsReceipts(origin) == receipts)
            }
        }
        #expect(table.count == 6)
    }

    @Test func aRequestIsAnsweredOnce() {
        var table = RequestTable()
        let first = table.add(request(1), session: 1)
        let second = table.add(request(1), session: 1)
        #expect(first != second)
        #expect(table.take(second)?.sequence == 1)
        #expect(table.take(second) == nil)
        #expect(table.take(first) != nil && table.count == 0)
    }
}
