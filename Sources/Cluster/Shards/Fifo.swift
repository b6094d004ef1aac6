/// A first-in first-out queue on an array.
struct Fifo<Element: Sendable>: Sendable {
    private var items: [Element] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { head == items.count }
    var first: Element? { isEmpty ? nil : items[head] }
    /// In order.
    var all: ArraySlice<Element> { items[head...] }

    mutating func append(_ item: Element) { items.append(item) }

    mutating func replaceLast(_ item: Element) { items[items.count - 1] = item }

    mutating func removeFirst() {
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: items.count < 1024)
            head = 0
        } else if head >= 256, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() {
        items = []
        head = 0
    }
}
