import CLinux
import Loops
import Storage

/// Rows per second and commit latency of the store at several batch sizes: 500-byte values under 32-byte keys, one
/// batch in flight, so that a batch is a transaction. The directory is the argument, so that the disk can be chosen.
enum StorageBenchmark {
    private static let keys = 20_000

    @Sendable
    static func run(_ arguments: [String]) -> Int32 {
        let parent = arguments.first ?? "."
        print(
            "batch   rows    rows/s    commit p50 µs   p99 µs   worst µs   (writer: folding and checkpoints included)")
        for (batch, commits) in [(1, 5_000), (50, 2_000), (200, 1_000), (1_000, 300)] {
            let directory = "\(parent)/carillon-bench-\(getpid())-\(batch)"
            defer { remove(directory) }
            do {
                try measure(directory, batch: batch, commits: commits)
            } catch {
                print("\(error)")
                return 74
            }
        }
        return 0
    }

    private static func measure(_ directory: String, batch: Int, commits: Int) throws {
        let store = try Store.open(directory: directory)
        let done = Lock<(upTo: UInt64, failed: Bool)>((0, false))
        let wakeup = Wakeup()
        store.start { upTo, failure in
            done.withLock { $0 = (upTo, $0.failed || failure != nil) }
            wakeup.signal()
        }
        var random = SystemRandomNumberGenerator()
        let value = [UInt8](repeating: 0x61, count: 500)
        var latencies: [Double] = []
        let start = Clock.monotonicNanoseconds()
        for number in 1...UInt64(commits) {
            let writes = (0..<batch).map { _ in
                StoreWrite(kind: 1, key: key(Int(random.next() % UInt64(keys))), value: value)
            }
            let submitted = Clock.monotonicNanoseconds()
            _ = store.submit(StoreBatch(number: number, writes: writes))
            while done.withLock({ $0.upTo }) < number { pause(wakeup) }
            latencies.append(Double(Clock.monotonicNanoseconds() - submitted) / 1000)
        }
        let seconds = Double(Clock.monotonicNanoseconds() - start) / 1e9
        store.stop()
        precondition(!done.withLock { $0.failed }, "a commit failed")
        latencies.sort()
        let rows = batch * commits
        let columns: [(String, Int)] = [
            ("\(batch)", 8), ("\(rows)", 8), ("\(Int(Double(rows) / seconds))", 10),
            ("\(Int(latencies[latencies.count / 2]))", 16), ("\(Int(latencies[latencies.count * 99 / 100]))", 9),
            ("\(Int(latencies.last ?? 0))", 0),
        ]
        print(columns.map { Measure.column($0.0, $0.1) }.joined())
    }

    private static func key(_ index: Int) -> [UInt8] {
        var key = Array("app/activity/order-0000000000000".utf8)
        var rest = index
        for place in (20..<32).reversed() {
            key[place] = 0x30 + UInt8(rest % 10)
            rest /= 10
        }
        return key
    }

    private static func pause(_ wakeup: Wakeup) {
        var descriptor = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, 1_000)
        wakeup.clear()
    }

    private static func remove(_ directory: String) {
        for name in ["node.sqlite", "node.sqlite-wal", "node.lock"] { unlink(directory + "/" + name) }
        rmdir(directory)
    }
}
