/// A binary heap of table slots by time, in which a slot can be moved and taken out in O(log n).
///
/// Where each slot lies is kept in an array that the owner passes in, so that several heaps over one table share
/// it: a slot is in at most one of them at a time. Ties are broken by `order`, so the result never depends on
/// history.
struct SlotHeap: Sendable {
    struct Node: Sendable {
        var key: Int64
        var order: UInt64
        var slot: Int32

        @inline(__always)
        func isBefore(_ other: Node) -> Bool {
            key != other.key ? key < other.key : order < other.order
        }
    }

    /// Position of a slot that is in no heap.
    static let nowhere: Int32 = -1

    private(set) var nodes: [Node] = []

    var isEmpty: Bool { nodes.isEmpty }
    var count: Int { nodes.count }
    var first: Node? { nodes.first }

    /// Puts a slot in, which must be in no heap.
    mutating func insert(_ slot: Int, key: Int64, order: UInt64, positions: inout [Int32]) {
        precondition(positions[slot] == Self.nowhere, "slot \(slot) is in a heap already")
        nodes.append(Node(key: key, order: order, slot: Int32(slot)))
        positions[slot] = Int32(nodes.count - 1)
        siftUp(nodes.count - 1, &positions)
    }

    /// Takes out a slot, which must be in this heap.
    mutating func remove(_ slot: Int, positions: inout [Int32]) {
        let index = Int(positions[slot])
        precondition(index >= 0 && index < nodes.count && nodes[index].slot == slot, "slot \(slot) is not in this heap")
        positions[slot] = Self.nowhere
        let last = nodes.removeLast()
        guard index < nodes.count else { return }
        nodes[index] = last
        positions[Int(last.slot)] = Int32(index)
        siftUp(index, &positions)
        siftDown(Int(positions[Int(last.slot)]), &positions)
    }

    // The loops work on the arrays' storage: checking on each write whether it is shared would cost more than the
    // moves.

    private mutating func siftUp(_ start: Int, _ positions: inout [Int32]) {
        nodes.withUnsafeMutableBufferPointer { nodes in
            positions.withUnsafeMutableBufferPointer { positions in
                var index = start
                let node = nodes[index]
                while index > 0 {
                    let parent = (index - 1) / 2
                    guard node.isBefore(nodes[parent]) else { break }
                    Self.place(nodes[parent], at: index, nodes, positions)
                    index = parent
                }
                Self.place(node, at: index, nodes, positions)
            }
        }
    }

    private mutating func siftDown(_ start: Int, _ positions: inout [Int32]) {
        nodes.withUnsafeMutableBufferPointer { nodes in
            positions.withUnsafeMutableBufferPointer { positions in
                var index = start
                let node = nodes[index]
                while true {
                    var child = 2 * index + 1
                    guard child < nodes.count else { break }
                    if child + 1 < nodes.count, nodes[child + 1].isBefore(nodes[child]) { child += 1 }
                    guard nodes[child].isBefore(node) else { break }
                    Self.place(nodes[child], at: index, nodes, positions)
                    index = child
                }
                Self.place(node, at: index, nodes, positions)
            }
        }
    }

    @inline(__always)
    private static func place(
        _ node: Node, at index: Int, _ nodes: UnsafeMutableBufferPointer<Node>,
        _ positions: UnsafeMutableBufferPointer<Int32>
    ) {
        precondition(index < nodes.count && node.slot < positions.count, "heap and table do not fit together")
        nodes[index] = node
        positions[Int(node.slot)] = Int32(index)
    }
}
