/// The last 16 events of a name with their versions and outcomes, packed into one array: it is stored as it is, and a
/// hundred thousand keys need a hundred thousand small arrays, not millions.
///
/// Entry: length of the ID, the ID, sequence (8), instance (4), outcome (1), length of the reason, the reason.
struct RecentEvents: Hashable, Sendable {
    /// How many events are remembered for each name.
    static let countMax = 16
    /// Longest reason kept, in bytes.
    static let reasonBytesMax = 64
    /// Longest packed form, in bytes.
    static let bytesMax = countMax * (1 + 255 + 14 + reasonBytesMax)

    /// The entries, oldest first.
    private(set) var packed: [UInt8] = []
    private(set) var count = 0

    /// One remembered event.
    struct Entry: Hashable {
        var id: [UInt8]
        /// Sequence of its newest version.
        var sequence: UInt64
        var instance: UInt32
        var outcome: EventOutcome
    }

    init() {}

    /// Takes a packed form read from disk; nil when it is not well-formed.
    init?(packed: [UInt8]) {
        var start = 0
        while start < packed.count {
            guard Self.isEntry(packed, at: start) else { return nil }
            start = Self.end(packed, of: start)
            count += 1
        }
        guard count <= Self.countMax else { return nil }
        self.packed = packed
    }

    private static func isEntry(_ packed: [UInt8], at start: Int) -> Bool {
        let idCount = Int(packed[start])
        let outcome = start + 1 + idCount + 12
        guard idCount > 0, outcome + 2 <= packed.count else { return false }
        let reasonCount = Int(packed[outcome + 1])
        return reasonCount <= reasonBytesMax && outcome + 2 + reasonCount <= packed.count
            && EventOutcome(code: packed[outcome], reason: []) != nil
    }

    private static func end(_ packed: [UInt8], of start: Int) -> Int {
        let outcome = start + 1 + Int(packed[start]) + 12
        return outcome + 2 + Int(packed[outcome + 1])
    }

    /// Finds an event by the caller's ID.
    func find(id: [UInt8]) -> Entry? {
        var start = 0
        while start < packed.count {
            if Int(packed[start]) == id.count, matches(id, at: start + 1) { return entry(at: start) }
            start = Self.end(packed, of: start)
        }
        return nil
    }

    private func matches(_ id: [UInt8], at start: Int) -> Bool {
        for offset in id.indices where packed[start + offset] != id[offset] { return false }
        return true
    }

    private func start(ofSequence sequence: UInt64) -> Int? {
        var start = 0
        while start < packed.count {
            if self.sequence(at: start) == sequence { return start }
            start = Self.end(packed, of: start)
        }
        return nil
    }

    private func sequence(at start: Int) -> UInt64 {
        let first = start + 1 + Int(packed[start])
        var value: UInt64 = 0
        for offset in 0..<8 { value = value << 8 | UInt64(packed[first + offset]) }
        return value
    }

    private func entry(at start: Int) -> Entry {
        let idEnd = start + 1 + Int(packed[start])
        let instance = packed[(idEnd + 8)..<(idEnd + 12)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let reason = Array(packed[(idEnd + 14)..<Self.end(packed, of: start)])
        return Entry(
            id: Array(packed[(start + 1)..<idEnd]), sequence: sequence(at: start), instance: instance,
            outcome: EventOutcome(code: packed[idEnd + 12], reason: reason) ?? .unknown)
    }

    /// Every entry, oldest first.
    var entries: [Entry] {
        var result: [Entry] = []
        var start = 0
        while start < packed.count {
            result.append(entry(at: start))
            start = Self.end(packed, of: start)
        }
        return result
    }

    /// What became of the event whose newest version is `sequence`; nil when it is no longer remembered.
    func outcome(ofSequence sequence: UInt64) -> EventOutcome? {
        start(ofSequence: sequence).map { entry(at: $0).outcome }
    }

    /// Remembers a new event and forgets the oldest above 16.
    mutating func append(id: [UInt8], sequence: UInt64, instance: UInt32) {
        if count == Self.countMax {
            packed.removeFirst(Self.end(packed, of: 0))
            count -= 1
        }
        let id = id.prefix(255)
        packed.reserveCapacity(packed.count + id.count + 15)
        packed.append(UInt8(id.count))
        packed.append(contentsOf: id)
        appendBig(sequence, bytes: 8)
        appendBig(UInt64(instance), bytes: 4)
        packed.append(EventOutcome.accepted.code)
        packed.append(0)
        count += 1
    }

    private mutating func appendBig(_ value: UInt64, bytes: Int) {
        for index in (0..<bytes).reversed() { packed.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8))) }
    }

    /// Records the outcome of the event whose newest version is `sequence`; false when it is no longer remembered.
    @discardableResult mutating func settle(_ sequence: UInt64, _ outcome: EventOutcome) -> Bool {
        guard let start = start(ofSequence: sequence) else { return false }
        let place = start + 1 + Int(packed[start]) + 12
        let reason = outcome.reason.utf8.prefix(Self.reasonBytesMax)
        packed[place] = outcome.code
        packed.replaceSubrange((place + 1)..<Self.end(packed, of: start), with: [UInt8(reason.count)] + reason)
        return true
    }

    /// Gives the event of `sequence` a new version.
    mutating func renumber(_ sequence: UInt64, to newSequence: UInt64) {
        guard let start = start(ofSequence: sequence) else { return }
        let first = start + 1 + Int(packed[start])
        for offset in 0..<8 {
            packed[first + offset] = UInt8(truncatingIfNeeded: newSequence >> UInt64((7 - offset) * 8))
        }
    }
}
