/// Stream states at stable small numbers, reused through a free list; a number is what nghttp2 keeps per stream.
///
/// The memory grows by doubling up to `limit` and holds no more than that: the bound on open streams.
struct SlotTable<Slot> {
    private(set) var slots: UnsafeMutablePointer<Slot>
    private(set) var capacity: Int
    private var free: [Int32]
    let limit: Int
    private let make: () -> Slot

    init(limit: Int, make: @escaping () -> Slot) {
        self.limit = limit
        self.make = make
        capacity = min(limit, 16)
        slots = .allocate(capacity: capacity)
        for index in 0..<capacity { (slots + index).initialize(to: make()) }
        free = (0..<Int32(capacity)).reversed()
    }

    /// A free slot's number, or nil when `limit` slots are taken.
    mutating func take() -> Int? {
        if free.isEmpty { grow() }
        return free.popLast().map { Int($0) }
    }

    /// Gives a taken number back.
    mutating func release(_ index: Int) { free.append(Int32(index)) }

    private mutating func grow() {
        let grown = min(limit, capacity * 2)
        guard grown > capacity else { return }
        let moved = UnsafeMutablePointer<Slot>.allocate(capacity: grown)
        moved.moveInitialize(from: slots, count: capacity)
        for index in capacity..<grown { (moved + index).initialize(to: make()) }
        slots.deallocate()
        slots = moved
        free.append(contentsOf: (Int32(capacity)..<Int32(grown)).reversed())
        capacity = grown
    }

    /// Frees the memory; call once, last.
    func destroy() {
        slots.deinitialize(count: capacity)
        slots.deallocate()
    }
}

/// What nghttp2 keeps as a stream's user data: the slot's number plus one, as a pointer that is never followed.
@inline(__always)
func streamData(_ index: Int) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: index + 1) }

@inline(__always)
func slotIndex(_ data: UnsafeMutableRawPointer?) -> Int? { data.map { Int(bitPattern: $0) - 1 } }
