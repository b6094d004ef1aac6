/// First in, first out, without moving elements on every removal.
struct FIFO<Element> {
    private var items: [Element] = []
    private var head = 0

    var count: Int { items.count - head }
    var isEmpty: Bool { head == items.count }
    var first: Element? { head < items.count ? items[head] : nil }

    mutating func append(_ element: Element) {
        items.append(element)
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard head < items.count else { return nil }
        let element = items[head]
        head += 1
        // Compacting once half is used up costs each element one move on average.
        if head == items.count {
            items.removeAll(keepingCapacity: items.count < 4096)
            head = 0
        } else if head >= 64, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return element
    }
}

extension FIFO: Sendable where Element: Sendable {}
