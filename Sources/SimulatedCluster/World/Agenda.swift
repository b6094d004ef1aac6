/// Things to happen, by time and then in the order in which they were planned. Items lie still in a slab; the heap
/// moves small nodes only.
struct Agenda<Item: Sendable>: Sendable {
    private struct Node: Sendable {
        var time: Int64
        var serial: UInt64
        var slot: Int

        func isBefore(_ other: Node) -> Bool {
            time < other.time || time == other.time && serial < other.serial
        }
    }

    private var nodes: [Node] = []
    private var items: [Item?] = []
    private var free: [Int] = []
    private var serial: UInt64 = 0

    var count: Int { nodes.count }

    mutating func plan(_ item: Item, at time: Int64) {
        serial += 1
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            items[slot] = item
        } else {
            slot = items.count
            items.append(item)
        }
        nodes.append(Node(time: time, serial: serial, slot: slot))
        rise()
    }

    /// The next thing before `limit`, taken out.
    mutating func next(before limit: Int64) -> (time: Int64, item: Item)? {
        guard let first = nodes.first, first.time < limit else { return nil }
        let last = nodes.removeLast()
        if !nodes.isEmpty {
            nodes[0] = last
            sink()
        }
        guard let item = items[first.slot].take() else { return nil }
        free.append(first.slot)
        return (first.time, item)
    }

    private mutating func rise() {
        var index = nodes.count - 1
        let node = nodes[index]
        while index > 0, node.isBefore(nodes[(index - 1) / 2]) {
            nodes[index] = nodes[(index - 1) / 2]
            index = (index - 1) / 2
        }
        nodes[index] = node
    }

    private mutating func sink() {
        let node = nodes[0]
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].isBefore(nodes[child]) { child += 1 }
            guard nodes[child].isBefore(node) else { break }
            nodes[index] = nodes[child]
            index = child
        }
        nodes[index] = node
    }
}
