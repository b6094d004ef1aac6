import Testing

@testable import Delivery

@Suite struct SlotHeapTests {
    /// Against a sorted array, with two heaps over one table.
    @Test(arguments: 0..<10) func behavesLikeASortedArray(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var positions = [Int32](repeating: SlotHeap.nowhere, count: 64)
        var heaps = [SlotHeap(), SlotHeap()]
        var models: [[(key: Int64, order: UInt64, slot: Int)]] = [[], []]
        var place = [Int?](repeating: nil, count: 64)
        for step in 0..<3_000 {
            let slot = Int(random.below(64))
            if let heap = place[slot] {
                heaps[heap].remove(slot, positions: &positions)
                models[heap].removeAll { $0.slot == slot }
                place[slot] = nil
            } else {
                let heap = Int(random.below(2))
                let key = random.below(20)
                heaps[heap].insert(slot, key: key, order: UInt64(step), positions: &positions)
                models[heap].append((key, UInt64(step), slot))
                place[slot] = heap
            }
            for heap in 0..<2 {
                let least = models[heap].min { ($0.key, $0.order) < ($1.key, $1.order) }
                #expect(heaps[heap].first.map { Int($0.slot) } == least?.slot)
                #expect(heaps[heap].count == models[heap].count)
            }
        }
    }
}

@Suite struct FIFOTests {
    @Test func keepsOrderThroughCompaction() {
        var queue = FIFO<Int>()
        var next = 0
        var expected = 0
        for round in 0..<2_000 {
            for _ in 0..<(round % 5) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round % 4) {
                guard let first = queue.first else { break }
                #expect(first == expected)
                let removed = queue.removeFirst()
                #expect(removed == expected)
                expected += 1
            }
            #expect(queue.count == next - expected && queue.isEmpty == (next == expected))
        }
        while queue.removeFirst() != nil { expected += 1 }
        #expect(expected == next)
    }
}
