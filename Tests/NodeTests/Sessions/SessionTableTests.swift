import Messaging
import Testing
import Wire

@testable import Node

@Suite struct SessionTableTests {
    private func session(_ identity: UInt8, user: String = "scores", heardAt: Int64 = 0) -> Session {
        Session(
            identity: [identity], user: user, role: .producer, checkedGeneration: 1, credit: NodeCredit(credit: 10),
            heardAtMilliseconds: heardAt)
    }

    /// Opens sessions in order; which of them found a place.
    private func open(_ table: inout SessionTable, _ sessions: [Session]) -> [Bool] {
        var taken: [Bool] = []
        for session in sessions { taken.append(table.open(session, now: session.heardAtMilliseconds)) }
        return taken
    }

    private func found(_ table: inout SessionTable, _ identity: UInt8) -> Session? { table.session(of: [identity]) }

    @Test func aConnectionHasOneSession() {
        var table = SessionTable(capacity: 10)
        let (first, again) = (session(1), session(1, heardAt: 5))
        #expect(open(&table, [first]) == [true])
        #expect(found(&table, 1) === first)
        #expect(open(&table, [again]) == [true])
        #expect(again.serial != first.serial && table[first.serial] == nil && table.count == 1)
        #expect(found(&table, 1) === again)
        table.close(again)
        table.close(again)
        #expect(found(&table, 1) == nil && table.count == 0)
    }

    @Test func aFullTableGivesUpOnlyWhoIsSilentForLong() {
        var table = SessionTable(capacity: 2)
        let (silent, lively) = (session(1, heardAt: 0), session(2, heardAt: 50_000))
        let early = session(3, heardAt: SessionTable.silentMilliseconds)
        let late = session(3, heardAt: SessionTable.silentMilliseconds + 1)
        #expect(open(&table, [silent, lively, early, late]) == [true, true, false, true])
        #expect(table[silent.serial] == nil)
        #expect(found(&table, 1) == nil)
        #expect(table.serials == [lively.serial, late.serial])
    }

    @Test func aConnectionMayReopenItsSessionWhenTheTableIsFull() {
        var table = SessionTable(capacity: 1)
        #expect(open(&table, [session(1), session(1), session(2)]) == [true, true, false])
    }

    @Test func receiptsFindTheLiveliestConnectionOfTheirProducer() {
        var table = SessionTable(capacity: 10)
        let newer = session(2, user: "a", heardAt: 2)
        #expect(
            open(&table, [session(1, user: "a", heardAt: 1), newer, session(3, user: "b", heardAt: 3)])
                == [true, true, true])
        #expect(table.newest(user: Array("a".utf8)) === newer)
        #expect(table.newest(user: Array("c".utf8)) == nil)
    }

    @Test func theSessionFoundLastIsForgottenWhenItCloses() {
        var table = SessionTable(capacity: 2)
        let first = session(1)
        #expect(open(&table, [first, session(2)]) == [true, true])
        #expect(found(&table, 1) === first)
        table.close(first)
        #expect(found(&table, 1) == nil && table[first.serial] == nil)
        #expect(found(&table, 2) != nil)
    }
}
