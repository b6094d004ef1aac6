import Messaging
import Testing
import Wire

@testable import Node

@Suite struct SessionTableTests {
    private func session(_ identity: UInt8, user: String = "scores", heardAt: Int64 = 0) -> Session {
        Session(
            identity: [identity], userID: user + "#key", role: .producer, checkedGeneration: 1,
            credit: NodeCredit(credit: 10),
            heardAtMilliseconds: heardAt)
    }

    private func open(_ table: inout SessionTable, _ session: Session, now: Int64 = 0) -> Bool {
        table.open(session, now: now)
    }

    private func find(_ table: inout SessionTable, _ identity: UInt8) -> Session? { table.session(of: [identity]) }

    @Test func aConnectionHasOneSession() {
        var table = SessionTable(capacity: 10)
        let (first, again) = (session(1), session(1))
        #expect(open(&table, first) && first.serial != 0)
        #expect(find(&table, 1) === first && table[first.serial] === first)
        #expect(open(&table, again) && again.serial != first.serial)
        #expect(find(&table, 1) === again && table[first.serial] == nil && table.count == 1)
        table.close(first)
        #expect(find(&table, 1) === again, "closing what was replaced closes nothing")
        table.close(again)
        table.close(again)
        #expect(find(&table, 1) == nil && table[again.serial] == nil && table.count == 0)
    }

    @Test func aFullTableGivesUpOnlyWhoIsSilentForLong() {
        var table = SessionTable(capacity: 2)
        let (silent, lively) = (session(1, heardAt: 0), session(2, heardAt: 50_000))
        #expect(open(&table, silent) && open(&table, lively, now: 50_000))
        #expect(find(&table, 1) === silent)
        #expect(!open(&table, session(3), now: SessionTable.silentMilliseconds))
        #expect(table.count == 2)
        let late = session(3, heardAt: 60_001)
        #expect(open(&table, late, now: SessionTable.silentMilliseconds + 1))
        #expect(find(&table, 1) == nil && table[silent.serial] == nil)
        #expect(table.serials == [lively.serial, late.serial])
    }

    @Test func aConnectionMayReopenItsSessionWhenTheTableIsFull() {
        var table = SessionTable(capacity: 1)
        #expect(open(&table, session(1)) && open(&table, session(1)))
        #expect(!open(&table, session(2)))
    }

    @Test func receiptsFindTheLiveliestConnectionOfTheirProducer() {
        var table = SessionTable(capacity: 10)
        let newer = session(2, user: "a", heardAt: 2)
        #expect(open(&table, session(1, user: "a", heardAt: 1)) && open(&table, newer))
        #expect(open(&table, session(3, user: "b", heardAt: 3)))
        #expect(table.newest(user: Array("a".utf8)) === newer)
        #expect(table.newest(user: Array("c".utf8)) == nil)
    }
}
