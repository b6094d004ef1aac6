import CLinux
import CSQLite
import Codes
import Loops
import Storage
import Testing

@Suite struct StoreTests {
    private func contents(_ directory: String) throws -> [Name: [UInt8]] {
        let store = try Store.open(directory: directory)
        defer { store.stop() }
        return try store.contents()
    }

    @Test func keepsTheLatestOverAReopening() throws {
        let scratch = Scratch()
        let reports = Reports()
        let store = try Store.open(directory: scratch.data)
        #expect(try store.contents().isEmpty)
        store.start { reports.add($0, $1) }
        let huge = [UInt8](repeating: 7, count: 100_000)
        #expect(store.submit(StoreBatch(number: 1, writes: [StoreWrite("a", "1"), StoreWrite("b", "1")])))
        #expect(store.submit(StoreBatch(number: 2, writes: [StoreWrite("a", "2"), StoreWrite("b", nil)])))
        #expect(store.submit(StoreBatch(number: 3, writes: [StoreWrite(kind: 2, key: Array("a".utf8), value: huge)])))
        #expect(store.submit(StoreBatch(number: 4, writes: [])))
        #expect(store.submit(StoreBatch(number: 5, writes: [StoreWrite(kind: 0, key: [], value: [])])))
        #expect(store.submit(StoreBatch(number: 6, writes: [StoreWrite(kind: 255, key: [0, 255], value: [0])])))
        #expect(reports.wait(for: 6))
        store.stop()
        #expect(reports.all.allSatisfy { $0.failure == nil })
        #expect(
            try contents(scratch.data) == [
                Name(1, Array("a".utf8)): Array("2".utf8), Name(2, Array("a".utf8)): huge, Name(0, []): [],
                Name(255, [0, 255]): [0],
            ])
    }

    @Test func stopWritesWhatWaits() throws {
        let scratch = Scratch()
        let reports = Reports()
        let store = try Store.open(directory: scratch.data)
        store.start { reports.add($0, $1) }
        for number in 1...500 as ClosedRange<UInt64> {
            #expect(store.submit(StoreBatch(number: number, writes: [StoreWrite("k\(number % 50)", "\(number)")])))
        }
        store.stop()
        store.stop()
        #expect(reports.durable == 500)
        #expect(!store.submit(StoreBatch(number: 501, writes: [])))
        let figures = store.statistics()
        #expect(figures.rows == 500 && figures.journalRows == 0 && figures.foldedRows == 500)
        #expect(figures.commits == UInt64(reports.all.count))
        #expect(figures.worstCommitMicroseconds >= figures.lastCommitMicroseconds)
        let kept = try contents(scratch.data)
        #expect(kept.count == 50)
        #expect(kept[Name(1, Array("k7".utf8))] == Array("457".utf8))
    }

    @Test func stopBeforeStartClosesTheDirectory() throws {
        let scratch = Scratch()
        let store = try Store.open(directory: scratch.data)
        store.stop()
        _ = try contents(scratch.data)
    }

    @Test func groupsWhatManyThreadsSubmit() throws {
        let scratch = Scratch()
        let reports = Reports()
        let store = try Store.open(directory: scratch.data)
        store.start { reports.add($0, $1) }
        // Numbers are given and submitted under one lock, as the one core thread does.
        let next = Lock<UInt64>(0)
        let threads = (0..<4).map { LoopThread(name: "submit-\($0)") }
        for (index, thread) in threads.enumerated() {
            thread.start {
                for count in 0..<500 {
                    let accepted = next.withLock { next in
                        next += 1
                        return store.submit(
                            StoreBatch(number: next, writes: [StoreWrite("\(index)/\(count % 20)", "\(count)")]))
                    }
                    #expect(accepted)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(reports.wait(for: 2_000))
        store.stop()
        #expect(reports.all.map(\.upTo) == reports.all.map(\.upTo).sorted())
        #expect(reports.all.allSatisfy { $0.failure == nil })
        #expect(store.statistics().rows == 2_000)
        #expect(store.statistics().commits < 2_000)
        let kept = try contents(scratch.data)
        #expect(kept.count == 80)
        for index in 0..<4 {
            for count in 480..<500 {
                #expect(kept[Name(1, Array("\(index)/\(count % 20)".utf8))] == Array("\(count)".utf8))
            }
        }
    }

    @Test func refusesMoreThanMayWait() throws {
        let scratch = Scratch()
        let store = try Store.open(directory: scratch.data, settings: StoreSettings(waitingBatchesMax: 3))
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(store.submit(StoreBatch(number: number, writes: [StoreWrite("\(number)", "x")])))
        }
        #expect(!store.submit(StoreBatch(number: 4, writes: [StoreWrite("4", "x")])))
        #expect(store.statistics().refusedBatches == 1)
        let reports = Reports()
        store.start { reports.add($0, $1) }
        #expect(reports.wait(for: 3))
        #expect(store.submit(StoreBatch(number: 5, writes: [StoreWrite("5", "x")])))
        store.stop()
        #expect(reports.all.map(\.upTo).last == 5)
        #expect(Set(try contents(scratch.data).keys.map(\.key)) == Set(["1", "2", "3", "5"].map { Array($0.utf8) }))
    }

    @Test func foldsAndChecksPointsBehindABusyWriter() throws {
        let scratch = Scratch()
        let reports = Reports()
        let settings = StoreSettings(
            journalRowsFoldedWhenIdle: 64, journalRowsMax: 200, journalRowsPerName: 2, foldRows: 16,
            checkpointPagesWhenIdle: 20, checkpointPagesMax: 50)
        let store = try Store.open(directory: scratch.data, settings: settings)
        store.start { reports.add($0, $1) }
        let filler = String(repeating: "x", count: 300)
        for number in 1...300 as ClosedRange<UInt64> {
            let writes = (0..<10).map { StoreWrite("\(($0 * 7 + Int(number)) % 90)", "\(number) \(filler)") }
            #expect(store.submit(StoreBatch(number: number, writes: writes)))
            if number % 20 == 0 {
                #expect(reports.wait(for: number))
                #expect(store.statistics().journalRows <= settings.journalRowsMax + 200)
            }
        }
        store.stop()
        #expect(store.statistics().checkpoints > 2)
        #expect(store.statistics().foldedRows == 3_000)
        let kept = try contents(scratch.data)
        #expect(kept.count == 90)
        #expect(kept.values.allSatisfy { $0.count > 300 })
    }

    @Test func agreesWithADictionary() throws {
        let scratch = Scratch()
        var expected: [Name: [UInt8]] = [:]
        var state: UInt64 = 42
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        var number: UInt64 = 0
        // Several lives, with settings that fold at different moments.
        for life in 0..<4 {
            let settings = StoreSettings(
                journalRowsFoldedWhenIdle: [1, 30, 1_000, 7][life], journalRowsMax: [3, 90, 2_000, 50][life],
                journalRowsPerName: [1, 3, 2, 1][life], foldRows: [1, 10, 50, 3][life], checkpointPagesWhenIdle: 5,
                checkpointPagesMax: 10)
            let reports = Reports()
            let store = try Store.open(directory: scratch.data, settings: settings)
            #expect(try store.contents() == expected)
            store.start { reports.add($0, $1) }
            for _ in 0..<60 {
                number += 1
                let writes = (0..<random(8)).map { _ in
                    StoreWrite(
                        kind: UInt8(random(3)), key: [UInt8](repeating: UInt8(random(4)), count: random(4)),
                        value: random(4) == 0 ? nil : [UInt8(random(256))])
                }
                for write in writes { expected[Name(write.kind, write.key)] = write.value }
                #expect(store.submit(StoreBatch(number: number, writes: writes)))
                if random(5) == 0 { #expect(reports.wait(for: number)) }
            }
            store.stop()
        }
        #expect(try contents(scratch.data) == expected)
    }
}
