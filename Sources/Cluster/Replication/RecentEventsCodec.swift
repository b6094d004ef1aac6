/// The stored form of a name's recent events, a part of its record's row.
///
/// The number of events (1 byte); if there are any, the highest sequence (8) and the highest instance (4) among them;
/// then each event: hash of its ID (8), marks and outcome (1), how far its sequence lies below the highest (7 bits a
/// byte, the lowest first), and, where the marks say so, its instance (4) and a reason (length 1, text). Eleven bytes
/// an event as a rule.
extension RecentEvents {
    private static let hasReason: UInt8 = 0x80
    private static let hasInstance: UInt8 = 0x40
    /// About as long as the form gets without reasons.
    static let usualBytes = 1 + 12 + countMax * 11

    func write(to row: inout RowWriter) {
        row.byte(UInt8(truncatingIfNeeded: items.count))
        guard !items.isEmpty else { return }
        let sequence = items.reduce(0) { max($0, $1.sequence) }
        let instance = items.reduce(0) { max($0, $1.instance) }
        row.long(sequence)
        row.word(instance)
        for item in items {
            let reason = reasons.isEmpty ? nil : reasons.first { $0.sequence == item.sequence }
            row.long(item.mark)
            row.byte(
                item.code | (reason == nil ? 0 : Self.hasReason) | (item.instance == instance ? 0 : Self.hasInstance))
            row.scaled(sequence - item.sequence)
            if item.instance != instance { row.word(item.instance) }
            guard let reason else { continue }
            row.byte(UInt8(truncatingIfNeeded: reason.text.count))
            for byte in reason.text { row.byte(byte) }
        }
    }

    init?(_ row: inout RowReader) {
        guard let count = row.byte(), count <= Self.countMax else { return nil }
        var items: [Item] = []
        var reasons: [Reason] = []
        if count > 0 {
            guard let sequence = row.long(), let instance = row.word() else { return nil }
            items.reserveCapacity(Int(count))
            for _ in 0..<count {
                guard let item = Self.read(&row, sequence, instance, &reasons) else { return nil }
                items.append(item)
            }
        }
        self.init(items: items, reasons: reasons)
    }

    private static func read(
        _ row: inout RowReader, _ highest: UInt64, _ newest: UInt32, _ reasons: inout [Reason]
    ) -> Item? {
        guard let mark = row.long(), let marks = row.byte(), let distance = row.scaled(), distance <= highest
        else { return nil }
        var item = Item(
            mark: mark, sequence: highest - distance, instance: newest, code: marks & ~(hasReason | hasInstance))
        if marks & hasInstance != 0 {
            guard let instance = row.word() else { return nil }
            item.instance = instance
        }
        guard marks & hasReason != 0 else { return item }
        guard let count = row.byte(), count > 0 else { return nil }
        var text: [UInt8] = []
        for _ in 0..<count {
            guard let byte = row.byte() else { return nil }
            text.append(byte)
        }
        reasons.append(Reason(sequence: item.sequence, text: text))
        return item
    }
}
