import CLinux
import CSQLite
import Codes
import Loops
import Storage
import Testing

/// What is left after a kill at any moment, a full disk, a damaged or foreign file, a second process.
@Suite struct RecoveryTests {
    /// Every batch writes its number under its own key and under one of ten shared ones.
    private func batch(_ number: UInt64) -> StoreBatch {
        StoreBatch(
            number: number,
            writes: [
                StoreWrite("own/\(number)", "\(number)"), StoreWrite("shared/\(number % 10)", "\(number)"),
                StoreWrite("own/\(number &- 100)", nil),
            ])
    }

    /// Whether a copy holds all batches through `durable`, whole batches only, and nothing older than that.
    private func check(_ copy: Scratch, durable: UInt64) throws {
        let store = try Store.open(directory: copy.data)
        let kept = try store.contents()
        store.stop()
        var newest: UInt64 = 0
        for (name, value) in kept where name.key.starts(with: "own/".utf8) {
            newest = max(newest, UInt64(String(decoding: value, as: UTF8.self)) ?? 0)
        }
        #expect(newest >= durable)
        for number in (newest > 100 ? newest - 99 : 1)..<(newest + 1) where newest > 0 {
            #expect(kept[Name(1, Array("own/\(number)".utf8))] == Array("\(number)".utf8))
        }
        for digit in 0..<10 as Range<UInt64> {
            let last = newest >= digit ? newest - (newest - digit) % 10 : 0
            if last > 0 { #expect(kept[Name(1, Array("shared/\(digit)".utf8))] == Array("\(last)".utf8)) }
        }
        #expect(kept.keys.filter { $0.key.starts(with: "own/".utf8) }.count == Int(min(newest, 100)))
    }

    /// What a stop had no time to fold is read from the journal.
    @Test func aStopThatEndsBeforeEverythingIsFoldedLosesNothing() throws {
        let scratch = Scratch()
        let settings = StoreSettings(
            journalRowsFoldedWhenIdle: 1_000_000, journalRowsMax: 1_000_000, finishMilliseconds: 1)
        let reports = Reports()
        let store = try Store.open(directory: scratch.data, settings: settings)
        store.start { reports.add($0, $1) }
        #expect(
            store.submit(StoreBatch(number: 1, writes: (0..<30_000).map { StoreWrite("key/\($0)", "\($0)") })))
        #expect(reports.wait(for: 1))
        store.stop()
        let again = try Store.open(directory: scratch.data)
        #expect(again.statistics().journalRows > 0)
        #expect(try again.contents().count == 30_000)
        again.stop()
    }

    @Test func aKillBetweenCommitsLosesNothingReported() throws {
        // The copies are made on the store's thread right after a commit, so folds and checkpoints lie between them.
        let scratch = Scratch()
        let settings = StoreSettings(
            journalRowsFoldedWhenIdle: 5, journalRowsMax: 40, journalRowsBusyMax: 60, foldRows: 7,
            checkpointPagesWhenIdle: 10,
            checkpointPagesMax: 25)
        let copies = Lock<[(copy: Scratch, durable: UInt64)]>([])
        let reports = Reports()
        let store = try Store.open(directory: scratch.data, settings: settings)
        store.start { upTo, failure in
            if upTo % 13 == 0 {
                let copy = Scratch()
                scratch.copyFiles(to: copy)
                copies.withLock { $0.append((copy, upTo)) }
            }
            reports.add(upTo, failure)
        }
        for number in 1...400 as ClosedRange<UInt64> {
            #expect(store.submit(batch(number)))
            if number % 3 == 1 { #expect(reports.wait(for: number)) }
        }
        store.stop()
        let taken = copies.withLock { $0 }
        #expect(taken.count >= 10)
        for (copy, durable) in taken { try check(copy, durable: durable) }
        try check(scratch, durable: 400)
    }

    @Test func aKillInsideACommitLosesNothingReported() throws {
        // No checkpoint meanwhile, so the log only grows: a copy at any moment is what a kill leaves, its end torn.
        let scratch = Scratch()
        let settings = StoreSettings(
            journalRowsFoldedWhenIdle: 30, journalRowsMax: 200, journalRowsBusyMax: 200, foldRows: 20,
            checkpointPagesWhenIdle: 1_000_000,
            checkpointPagesMax: 1_000_000)
        let reports = Reports()
        let store = try Store.open(directory: scratch.data, settings: settings)
        store.start { reports.add($0, $1) }
        var copies: [(Scratch, UInt64)] = []
        for number in 1...600 as ClosedRange<UInt64> {
            #expect(store.submit(batch(number)))
            guard number % 30 == 0 else { continue }
            let durable = reports.durable
            let copy = Scratch()
            scratch.copyFiles(to: copy)
            copies.append((copy, durable))
        }
        store.stop()
        #expect(copies.count == 20)
        for (copy, durable) in copies { try check(copy, durable: durable) }
    }

    @Test func aTornLogKeepsAWholePrefix() throws {
        let scratch = Scratch()
        let reports = Reports()
        let full = Scratch()
        let store = try Store.open(directory: scratch.data)
        store.start { upTo, failure in
            if upTo == 30 { scratch.copyFiles(to: full) }
            reports.add(upTo, failure)
        }
        for number in 1...30 as ClosedRange<UInt64> {
            #expect(store.submit(batch(number)))
            #expect(reports.wait(for: number))
        }
        store.stop()
        let log = Scratch.read(full.data + "/node.sqlite-wal")
        #expect(log.count > 30 * 4_096)
        for part in 0..<40 {
            let torn = Scratch()
            full.copyFiles(to: torn)
            Scratch.write(Array(log.prefix(log.count * part / 40)), to: torn.data + "/node.sqlite-wal")
            try check(torn, durable: 0)
        }
    }

    @Test func aFullDatabaseFailsAndRecovers() throws {
        let scratch = Scratch()
        let settings = StoreSettings(
            journalRowsFoldedWhenIdle: 1_000_000, journalRowsMax: 1_000_000, foldRows: 50, databasePagesMax: 60)
        let reports = Reports()
        let store = try Store.open(directory: scratch.data, settings: settings)
        store.start { reports.add($0, $1) }
        // Ten keys over and over: the journal fills the file, folding it frees the file again.
        let value = String(repeating: "v", count: 1_000)
        var durable: [UInt64] = []
        for number in 1...1_000 as ClosedRange<UInt64> {
            #expect(
                store.submit(
                    StoreBatch(
                        number: number, writes: [StoreWrite("k\(number % 10)", "\(number) \(value)")], isRetry: true)))
            #expect(reports.wait(for: number))
            if reports.all.last?.failure == nil { durable.append(number) }
        }
        // A value that can never fit is refused, and the store goes on.
        let tooMuch = String(repeating: "v", count: 500_000)
        #expect(
            store.submit(StoreBatch(number: 2_000, writes: [StoreWrite("k0", "lost"), StoreWrite("big", tooMuch)])))
        #expect(reports.wait(for: 2_000))
        #expect(reports.all.last == Reports.Report(upTo: 2_000, failure: .storageFull))
        #expect(store.submit(StoreBatch(number: 2_001, writes: [StoreWrite("k0", "lost too")])))
        #expect(reports.wait(for: 2_001))
        // What stands on a lost batch is refused until a retry brings the lost changes again.
        #expect(reports.all.last == Reports.Report(upTo: 2_001, failure: .storageFull))
        #expect(store.submit(StoreBatch(number: 2_002, writes: [StoreWrite("after", "kept")], isRetry: true)))
        store.stop()
        #expect(reports.all.last == Reports.Report(upTo: 2_002, failure: nil))
        let failures = reports.all.filter { $0.failure != nil }
        #expect(failures.count > 2)
        #expect(failures.allSatisfy { $0.failure == .storageFull })
        #expect(durable.count > 900)
        #expect(store.statistics().failedCommits == UInt64(failures.count - 1))
        let again = try Store.open(directory: scratch.data)
        let kept = try again.contents()
        again.stop()
        for digit in 0..<10 as Range<UInt64> {
            let newest = durable.last { $0 % 10 == digit } ?? 0
            #expect(kept[Name(1, Array("k\(digit)".utf8))]?.starts(with: "\(newest) ".utf8) == true)
        }
        #expect(kept[Name(1, Array("big".utf8))] == nil)
        #expect(kept[Name(1, Array("after".utf8))] == Array("kept".utf8))
    }

    private func fault(_ directory: String) -> Fault? {
        do throws(Fault) {
            try Store.open(directory: directory).stop()
            return nil
        } catch {
            return error
        }
    }

    private func raw(_ path: String, _ sql: String) {
        var connection: OpaquePointer?
        #expect(sqlite3_open(path, &connection) == SQLITE_OK)
        #expect(sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK)
        sqlite3_close_v2(connection)
    }

    @Test func oneProcessPerDirectory() throws {
        let scratch = Scratch()
        let store = try Store.open(directory: scratch.data)
        let refused = try #require(fault(scratch.data))
        #expect(refused.code == .storageLocked)
        #expect(refused.detail.contains("process \(getpid())"))
        store.stop()
        #expect(fault(scratch.data) == nil)
    }

    @Test func makesPrivateFiles() throws {
        let scratch = Scratch()
        #expect(fault(scratch.data) == nil)
        var status = stat()
        #expect(stat(scratch.data, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        #expect(stat(scratch.data + "/node.sqlite", &status) == 0)
        #expect(status.st_mode & 0o077 == 0)
    }

    @Test func refusesANewerVersionUntouched() throws {
        let scratch = Scratch()
        #expect(fault(scratch.data) == nil)
        raw(scratch.data + "/node.sqlite", "PRAGMA user_version = 2")
        let before = Scratch.read(scratch.data + "/node.sqlite")
        let refused = try #require(fault(scratch.data))
        #expect(refused.code == .storageNewer)
        #expect(refused.detail.contains("version 2"))
        #expect(Scratch.read(scratch.data + "/node.sqlite") == before)
    }

    @Test func refusesForeignAndDamagedFiles() throws {
        let foreign = Scratch()
        mkdir(foreign.data, 0o700)
        raw(foreign.data + "/node.sqlite", "CREATE TABLE theirs (x)")
        #expect(fault(foreign.data)?.code == .storageForeign)
        let noise = Scratch()
        mkdir(noise.data, 0o700)
        Scratch.write([UInt8](repeating: 0x5A, count: 10_000), to: noise.data + "/node.sqlite")
        #expect(fault(noise.data)?.code == .storageCorrupt)
        let file = Scratch()
        Scratch.write([1], to: file.data)
        #expect(fault(file.data)?.code == .storageUnusable)
        unlink(file.data)
    }

    @Test func aDamagedPageIsSaidAtLoad() throws {
        let scratch = Scratch()
        let store = try Store.open(directory: scratch.data)
        store.start { _, _ in }
        let value = String(repeating: "v", count: 500)
        let writes = (0..<500).map { StoreWrite("key \($0)", value) }
        #expect(store.submit(StoreBatch(number: 1, writes: writes)))
        store.stop()
        var bytes = Scratch.read(scratch.data + "/node.sqlite")
        // The headers of all pages but the first two.
        for page in stride(from: 2 * 4_096, to: bytes.count, by: 4_096) { bytes[page] = 0x77 }
        Scratch.write(bytes, to: scratch.data + "/node.sqlite")
        #expect(loadFault(scratch.data)?.code == .storageCorrupt)
    }

    private func loadFault(_ directory: String) -> Fault? {
        do throws(Fault) {
            let store = try Store.open(directory: directory)
            defer { store.stop() }
            _ = try store.contents()
            return nil
        } catch {
            return error
        }
    }
}
