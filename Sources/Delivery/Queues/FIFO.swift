/// First in, first out, without moving elements on every removal. Inlinable: it lies on the way of every event in more
/// than one module.
public struct FIFO<Element> {
    @usableFromInline var items: [Element] = []
    @usableFromInline var head = 0

    /// Makes an empty queue.
    @inlinable public init() {}

    /// Elements in the queue.
    @inlinable public var count: Int { items.count - head }
    /// Whether there is none.
    @inlinable public var isEmpty: Bool { head == items.count }
    /// The oldest element.
    @inlinable public var first: Element? { head < items.count ? items[head] : nil }
    /// The elements, the oldest first.
    @inlinable public var all: ArraySlice<Element> { items[head...] }

    /// Adds an element at the end.
    @inlinable public mutating func append(_ element: Element) {
        items.append(element)
    }

    /// Puts an element in the place of the newest; the queue must not be empty.
    @inlinable public mutating func replaceLast(_ element: Element) {
        items[items.count - 1] = element
    }

    /// Takes the oldest element out; nil when there is none.
    @inlinable @discardableResult
    public mutating func removeFirst() -> Element? {
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
