import Wire

/// The last 16 events of a name with their versions and outcomes.
///
/// Of an event ID its 64-bit hash is kept: this travels with every record to every copy, and sixteen IDs would be half
/// of what a record takes. Among 16 events two IDs share a hash once in some 10^17 events; the later one would be
/// answered like a repetition of the earlier one.
struct RecentEvents: Hashable, Sendable {
    /// How many events are remembered for each name.
    static let countMax = 16
    /// Longest reason kept, in bytes.
    static let reasonBytesMax = 64

    /// What a hundred thousand names have sixteen of: plain numbers, so that an array of them is one piece of memory.
    struct Item: Hashable {
        var mark: UInt64
        var sequence: UInt64
        var instance: UInt32
        var code: UInt8
    }

    /// Why an event failed.
    struct Reason: Hashable {
        var sequence: UInt64
        var text: [UInt8]
    }

    /// One remembered event.
    struct Entry: Hashable {
        /// Sequence of its newest version.
        var sequence: UInt64
        var instance: UInt32
        var outcome: EventOutcome
    }

    /// Oldest first.
    private(set) var items: [Item] = []
    /// Of those that failed; mostly none.
    private(set) var reasons: [Reason] = []

    init() {}

    /// Takes what was read from a row; nil when it cannot be.
    init?(items: [Item], reasons: [Reason]) {
        let failed = EventOutcome.failed(reason: "").code
        guard items.count <= Self.countMax, items.allSatisfy({ EventOutcome(code: $0.code, reason: []) != nil }),
            reasons.allSatisfy({ reason in
                reason.text.count <= Self.reasonBytesMax
                    && items.contains { $0.sequence == reason.sequence && $0.code == failed }
            })
        else { return nil }
        self.items = items
        self.reasons = reasons
    }

    var count: Int { items.count }

    private static func mark(_ id: [UInt8]) -> UInt64 { SipHash.hash(id[...], seed: (0, 0)) }

    /// Finds an event by the caller's ID.
    func find(id: [UInt8]) -> Entry? {
        let mark = Self.mark(id)
        return items.first { $0.mark == mark }.map(entry)
    }

    private func entry(_ item: Item) -> Entry {
        let reason = reasons.isEmpty ? [] : reasons.first { $0.sequence == item.sequence }?.text ?? []
        return Entry(
            sequence: item.sequence, instance: item.instance,
            outcome: EventOutcome(code: item.code, reason: reason) ?? .unknown)
    }

    /// Every entry, oldest first.
    var entries: [Entry] { items.map(entry) }

    private func place(of sequence: UInt64) -> Int? { items.lastIndex { $0.sequence == sequence } }

    /// What became of the event whose newest version is `sequence`; nil when it is no longer remembered.
    func outcome(ofSequence sequence: UInt64) -> EventOutcome? { place(of: sequence).map { entry(items[$0]).outcome } }

    /// Remembers a new event and forgets the oldest above 16.
    mutating func append(id: [UInt8], sequence: UInt64, instance: UInt32) {
        if items.count == Self.countMax {
            forgetReason(items[0].sequence)
            items.removeFirst()
        } else if items.isEmpty {
            items.reserveCapacity(4)
        }
        items.append(
            Item(
                mark: Self.mark(id), sequence: sequence, instance: instance, code: EventOutcome.accepted.code))
    }

    private mutating func forgetReason(_ sequence: UInt64) {
        guard !reasons.isEmpty else { return }
        reasons.removeAll { $0.sequence == sequence }
    }

    /// Records the outcome of the event whose newest version is `sequence`; false when it is no longer remembered.
    @discardableResult mutating func settle(_ sequence: UInt64, _ outcome: EventOutcome) -> Bool {
        guard let place = place(of: sequence) else { return false }
        forgetReason(sequence)
        items[place].code = outcome.code
        let text = outcome.reason.utf8.prefix(Self.reasonBytesMax)
        if !text.isEmpty { reasons.append(Reason(sequence: sequence, text: Array(text))) }
        return true
    }

    /// Gives the event of `sequence` a new version.
    mutating func renumber(_ sequence: UInt64, to newSequence: UInt64) {
        guard let place = place(of: sequence) else { return }
        items[place].sequence = newSequence
        for index in reasons.indices where reasons[index].sequence == sequence {
            reasons[index].sequence = newSequence
        }
    }
}
