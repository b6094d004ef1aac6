/// Things to happen, by time and then in the order in which they were planned.
struct Agenda<Item> {
    private struct Node {
        var time: Int64
        var serial: UInt64
        var item: Item

        func isBefore(_ other: Node) -> Bool { (time, serial) < (other.time, other.serial) }
    }

    private var nodes: [Node] = []
    private var serial: UInt64 = 0

    mutating func plan(_ item: Item, at time: Int64) {
        serial += 1
        nodes.append(Node(time: time, serial: serial, item: item))
        var index = nodes.count - 1
        while index > 0, nodes[index].isBefore(nodes[(index - 1) / 2]) {
            nodes.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func next(before limit: Int64) -> (time: Int64, item: Item)? {
        guard let first = nodes.first, first.time < limit else { return nil }
        let last = nodes.removeLast()
        if !nodes.isEmpty {
            nodes[0] = last
            sink()
        }
        return (first.time, first.item)
    }

    private mutating func sink() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < nodes.count && nodes[child].isBefore(nodes[least])
            {
                least = child
            }
            guard least != index else { return }
            nodes.swapAt(index, least)
            index = least
        }
    }
}

/// A small seeded generator.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int64) -> Int64 { bound > 0 ? Int64(next() % UInt64(bound)) : 0 }

    mutating func between(_ low: Int64, _ high: Int64) -> Int64 { low + below(high - low + 1) }

    mutating func chance(percent: Int64) -> Bool { below(100) < percent }
}
