import Messaging
import Testing
import Wire

@testable import Node

@Suite struct SessionTableTests {
    private func session(_ identity: UInt8, user: String = "scores", heardAt: Int64 = 0) -> Session {
        Session(
            identity: [identity], user: user, userBytes: Array(user.utf8), role: .producer, checkedGeneration: 1,
            credit: NodeCredit(credit: 10), heardAtMilliseconds: heardAt)
    }

    private func open(_ table: inout SessionTable, _ session: Session, now: Int64) throws -> UInt32 {
        let serial = table.open(session, now: now)
        return try #require(serial)
    }

    @Test func aConnectionHasOneSession() throws {
        var table = SessionTable(capacity: 10)
        let first = try open(&table, session(1), now: 0)
        #expect(table.serial(of: [1]) == first && table[first]?.user == "scores")
        let again = try open(&table, session(1), now: 5)
        #expect(again != first && table[first] == nil && table.serial(of: [1]) == again && table.count == 1)
        table.close(again)
        table.close(again)
        #expect(table.serial(of: [1]) == nil && table.count == 0)
    }

    @Test func aFullTableGivesUpOnlyWhoIsSilentForLong() throws {
        var table = SessionTable(capacity: 2)
        let silent = try open(&table, session(1, heardAt: 0), now: 0)
        let lively = try open(&table, session(2, heardAt: 50_000), now: 50_000)
        #expect(table.open(session(3), now: SessionTable.silentMilliseconds) == nil)
        #expect(table.count == 2)
        let late = try open(&table, session(3, heardAt: 60_001), now: SessionTable.silentMilliseconds + 1)
        #expect(table[silent] == nil && table.serial(of: [1]) == nil)
        #expect(table.serials == [lively, late])
    }

    @Test func aConnectionMayReopenItsSessionWhenTheTableIsFull() {
        var table = SessionTable(capacity: 1)
        #expect(table.open(session(1), now: 0) != nil)
        #expect(table.open(session(1), now: 0) != nil)
        #expect(table.open(session(2), now: 0) == nil)
    }

    @Test func receiptsFindTheLiveliestConnectionOfTheirProducer() throws {
        var table = SessionTable(capacity: 10)
        _ = table.open(session(1, user: "a", heardAt: 1), now: 1)
        let newer = try open(&table, session(2, user: "a", heardAt: 2), now: 2)
        _ = table.open(session(3, user: "b", heardAt: 3), now: 3)
        #expect(table.newest(user: Array("a".utf8)) == newer)
        #expect(table.newest(user: Array("c".utf8)) == nil)
    }

    @Test func sessionsAreChangedInPlace() throws {
        var table = SessionTable(capacity: 2)
        let serial = try open(&table, session(1), now: 0)
        #expect(table[serial]?.credit.takePublish() == true)
        #expect(table[serial]?.credit.unanswered == 1)
        table[serial]?.role = .admin
        #expect(table[serial]?.role == .admin)
    }
}
