import CLinux
import Codes
import Foundation
import Loops
import Storage
import Testing

/// A directory that goes away with its owner.
final class Directory {
    let path = NSTemporaryDirectory() + "carillon-store-\(UUID().uuidString)"
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// Collects what a store says and waits for it.
final class Commits: Sendable {
    private let state = Lock((upTo: UInt64(0), failures: [UInt64: Fault]()))
    private let wakeup = Wakeup()

    func note(_ batch: UInt64, _ failure: Fault?) {
        state.withLock { state in
            if let failure { state.failures[batch] = failure } else { state.upTo = max(state.upTo, batch) }
        }
        wakeup.signal()
    }

    var failures: [UInt64: Fault] { state.withLock { $0.failures } }
    var upTo: UInt64 { state.withLock { $0.upTo } }

    /// Waits until the condition holds, for at most ten seconds.
    func wait(_ condition: (Commits) -> Bool) -> Bool {
        let poller = Poller()
        poller.add(wakeup.descriptor, tag: 0)
        let deadline = Clock.bootMilliseconds() + 10_000
        while !condition(self) {
            guard Clock.bootMilliseconds() < deadline else { return false }
            poller.wait(milliseconds: 100) { _ in wakeup.clear() }
        }
        return true
    }
}

func write(_ key: String, _ value: String?, kind: UInt8 = 1) -> StoreWrite {
    StoreWrite(kind: kind, key: Array(key.utf8), value: value.map { Array($0.utf8) })
}

func contents(_ path: String) throws -> [String: String] {
    let store = try Store.open(directory: path)
    var rows: [String: String] = [:]
    try store.load { kind, key, value in
        rows["\(kind)/" + String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
    }
    return rows
}

@Suite struct StoreTests {
    @Test func theLatestValueOfEachKeySurvivesReopening() throws {
        let directory = Directory()
        do {
            let store = try Store.open(directory: directory.path)
            let commits = Commits()
            store.start(onCommit: commits.note)
            #expect(store.submit(StoreBatch(number: 1, writes: [write("a", "1"), write("b", "1"), write("a", "1", kind: 2)])))
            #expect(store.submit(StoreBatch(number: 2, writes: [write("a", "2"), write("b", nil), write("e", "")])))
            #expect(commits.wait { $0.upTo == 2 })
            store.stop()
            #expect(store.statistics.rows == 6)
        }
        #expect(try contents(directory.path) == ["1/a": "2", "2/a": "1", "1/e": ""])
    }

    @Test func whatWasReportedIsInACopyTakenAtThatMoment() throws {
        let directory = Directory()
        let copy = Directory()
        let store = try Store.open(directory: directory.path)
        let commits = Commits()
        store.start(onCommit: commits.note)
        for number in 1...200 {
            #expect(store.submit(StoreBatch(number: UInt64(number), writes: [write("k\(number % 7)", "\(number)")])))
        }
        #expect(commits.wait { $0.upTo == 200 })
        try FileManager.default.copyItem(atPath: directory.path, toPath: copy.path)
        store.stop()
        let rows = try contents(copy.path)
        for number in 194...200 { #expect(rows["1/k\(number % 7)"] == "\(number)") }
    }

    @Test func submittersOnManyThreadsShareTransactions() throws {
        let directory = Directory()
        let store = try Store.open(directory: directory.path)
        let commits = Commits()
        store.start(onCommit: commits.note)
        let threads = (0..<4).map { index in
            let thread = LoopThread(name: "submit\(index)")
            thread.start {
                for value in 0..<500 {
                    _ = store.submit(StoreBatch(number: UInt64(value), writes: [write("t\(index)-\(value)", "x")]))
                }
            }
            return thread
        }
        for thread in threads { thread.join() }
        store.stop()
        #expect(store.statistics.rows == 2000)
        #expect(store.statistics.commits < 2000)
        #expect(try contents(directory.path).count == 2000)
    }

    @Test func aFullQueueAndAStoppedStoreSayNo() throws {
        let directory = Directory()
        var settings = StoreSettings()
        settings.mailboxCapacity = 2
        let store = try Store.open(directory: directory.path, settings: settings)
        #expect(store.submit(StoreBatch(number: 1, writes: [write("a", "1")])))
        #expect(store.submit(StoreBatch(number: 2, writes: [write("a", "2")])))
        #expect(!store.submit(StoreBatch(number: 3, writes: [write("a", "3")])))
        #expect(store.statistics.refusedBatches == 1)
        store.start { _, _ in }
        store.stop()
        #expect(!store.submit(StoreBatch(number: 4, writes: [])))
        #expect(try contents(directory.path) == ["1/a": "2"])
    }

    @Test func aFullDiskFailsTheBatchAndOnlyThat() throws {
        let directory = Directory()
        var settings = StoreSettings()
        settings.pagesMax = 64
        let store = try Store.open(directory: directory.path, settings: settings)
        let commits = Commits()
        store.start(onCommit: commits.note)
        let large = String(repeating: "x", count: 400_000)
        #expect(store.submit(StoreBatch(number: 1, writes: [write("small", "1")])))
        #expect(commits.wait { $0.upTo == 1 })
        #expect(store.submit(StoreBatch(number: 2, writes: [write("large", large)])))
        #expect(commits.wait { $0.failures[2] != nil })
        #expect(commits.failures[2]?.code == .storeWriteFailed)
        #expect(store.submit(StoreBatch(number: 3, writes: [write("small", "3")])))
        #expect(commits.wait { $0.upTo == 3 })
        store.stop()
        #expect(try contents(directory.path) == ["1/small": "3"])
    }

    @Test func oneDirectoryHasOneProcess() throws {
        let directory = Directory()
        let store = try Store.open(directory: directory.path)
        let fault = #expect(throws: Fault.self) { try Store.open(directory: directory.path) }
        #expect(fault?.code == .storeLocked)
        #expect(fault?.detail.contains("\(getpid())") == true)
        withExtendedLifetime(store) {}
    }

    @Test func whatIsNoDatabaseIsNamed() throws {
        let directory = Directory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let garbage = Data(repeating: 0x41, count: 8192)
        try garbage.write(to: URL(fileURLWithPath: directory.path + "/node.sqlite"))
        let fault = #expect(throws: Fault.self) { try Store.open(directory: directory.path) }
        #expect(fault?.code == .storeCorrupt)
    }

    @Test func aFileFromTheFutureIsRefused() throws {
        let directory = Directory()
        _ = try contents(directory.path)
        let tool = try ChildProcess(
            program: "/usr/bin/sqlite3", arguments: [directory.path + "/node.sqlite", "PRAGMA user_version = 99"],
            output: "/dev/null")
        #expect(tool.wait() == .exited(0))
        let fault = #expect(throws: Fault.self) { try Store.open(directory: directory.path) }
        #expect(fault?.code == .storeTooNew)
    }

    @Test func foldingUnderLoadLosesNothing() throws {
        let directory = Directory()
        var settings = StoreSettings()
        settings.journalRowsMax = 50
        settings.foldRows = 20
        settings.transactionRowsMax = 10
        let store = try Store.open(directory: directory.path, settings: settings)
        store.start { _, _ in }
        for number in 0..<1000 {
            #expect(store.submit(StoreBatch(number: UInt64(number), writes: [write("k\(number % 100)", "\(number)")])))
        }
        store.stop()
        let rows = try contents(directory.path)
        #expect(rows.count == 100)
        for number in 900..<1000 { #expect(rows["1/k\(number % 100)"] == "\(number)") }
    }
}
