import CLinux
import Testing

@testable import HTTP2

@Suite struct FreeListPoolTests {
    /// A random history of allocations, each filled with its own pattern, compared at every release.
    @Test func blocksNeverOverlap() throws {
        var pool = FreeListPool()
        defer { pool.destroy() }
        var random = SplitMix64(state: 3)
        var live: [(block: UnsafeMutableRawPointer, size: Int, mark: UInt8)] = []
        func holds(_ entry: (block: UnsafeMutableRawPointer, size: Int, mark: UInt8), _ count: Int) -> Bool {
            UnsafeRawBufferPointer(start: entry.block, count: count).allSatisfy { $0 == entry.mark }
        }
        for _ in 0..<3_000 {
            let size = random.next() % 8 == 0 ? Int(random.next() % 20_000) : Int(random.next() % 600)
            let mark = UInt8(truncatingIfNeeded: random.next())
            switch random.next() % 3 {
            case 0 where !live.isEmpty:
                let entry = live.remove(at: Int(random.next() % UInt64(live.count)))
                #expect(holds(entry, entry.size))
                pool.release(entry.block)
            case 1 where !live.isEmpty:
                let entry = live.remove(at: Int(random.next() % UInt64(live.count)))
                let resized = pool.resize(entry.block, to: size)
                let moved = try #require(resized)
                #expect(holds((moved, size, entry.mark), min(size, entry.size)))
                memset(moved, Int32(mark), size)
                live.append((moved, size, mark))
            default:
                let fresh = pool.allocate(size)
                let block = try #require(fresh)
                #expect(UInt(bitPattern: block) % 16 == 0)
                memset(block, Int32(mark), size)
                live.append((block, size, mark))
            }
        }
        for entry in live {
            #expect(holds(entry, entry.size))
            pool.release(entry.block)
        }
    }

    @Test func releasedBlocksAreReused() {
        var pool = FreeListPool()
        defer { pool.destroy() }
        let first = pool.allocate(100)
        pool.release(first)
        let second = pool.allocate(128)
        let third = pool.allocate(128)
        #expect(first == second)
        #expect(second != third)
        pool.release(nil)
    }
}
