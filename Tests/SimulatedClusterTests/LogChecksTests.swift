import Cluster
import Testing

@testable import SimulatedCluster

/// I3 on disks: entries and their neighbours.
@Suite struct LogChecksTests {
    /// A row as consensus stores it; nobody looks at its checksum.
    private func entry(_ index: UInt8, term: UInt8) -> StoreWrite {
        StoreWrite(
            kind: .logEntry, key: [0, 0, 0, 0, 0, 0, 0, index], value: [1, 0, 0, 0, 0, 0, 0, 0, term, 0, 0, 0, 0, 0])
    }

    private func snapshot(_ index: UInt8, term: UInt8) -> StoreWrite {
        StoreWrite(
            kind: .logSnapshot, key: [1],
            value: [1, 0, 0, 0, 0, 0, 0, 0, index, 0, 0, 0, 0, 0, 0, 0, term, 0, 0, 0, 0])
    }

    private func gone(_ index: UInt8) -> StoreWrite {
        StoreWrite(kind: .logEntry, key: [0, 0, 0, 0, 0, 0, 0, index], value: nil)
    }

    private func store(_ writes: [StoreWrite], _ disk: inout SimulatedDisk, _ checks: inout LogChecks) -> Bool {
        var outcomes: [SimulatedDisk.Outcome] = []
        _ = disk.write(1, writes, isRetry: true)
        _ = disk.commit(fails: false, into: &outcomes)
        return checks.stored(disk, disk.takeLogWrites()) == nil
    }

    @Test func aTailThatIsLeftBehindIsSeen() {
        var checks = LogChecks(nodes: 1)
        var disk = SimulatedDisk()
        let grows = store([entry(1, term: 1), entry(2, term: 1), entry(3, term: 1)], &disk, &checks)
        #expect(grows)
        var cut = disk
        let isCut = store([gone(2), gone(3), entry(2, term: 2)], &cut, &checks)
        #expect(isCut)
        let isLeft = store([entry(2, term: 2)], &disk, &checks)
        #expect(!isLeft)
    }

    @Test func twoHistoriesOfOneEntryAreSeen() {
        var checks = LogChecks(nodes: 2)
        var first = SimulatedDisk()
        var second = SimulatedDisk()
        let isFirst = store([entry(1, term: 1), entry(2, term: 3)], &first, &checks)
        let isOther = store([entry(1, term: 2), entry(2, term: 3)], &second, &checks)
        #expect(isFirst && !isOther)
    }

    @Test func aSnapshotIsTheEntryThatItEndsWith() {
        var checks = LogChecks(nodes: 1)
        var disk = SimulatedDisk()
        let begins = store([entry(1, term: 1), entry(2, term: 1), entry(3, term: 1)], &disk, &checks)
        let folds = store([snapshot(2, term: 1), gone(1), gone(2)], &disk, &checks)
        #expect(begins && folds && disk.snapshotIndex == 2 && disk.logTerm(at: 2) == 1)
        let isOther = store([snapshot(2, term: 2)], &disk, &checks)
        #expect(!isOther)
    }
}
