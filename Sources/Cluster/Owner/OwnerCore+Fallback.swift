import Delivery
import LiveActivity

/// Where no activity can be had, the start's alert goes to the device's ordinary token, if the producer wants that.
extension OwnerCore {
    mutating func sendFallback(
        _ slot: Int, _ name: DeviceName, _ record: Record, _ ticket: UInt64, _ audience: StartAudience,
        into effects: inout [CoreEffect]
    ) {
        guard audience.fallback, let token = deviceTable.token(of: name, .ordinaryToken, []), token.fault == nil,
            let payload = Self.alertPayload(of: record)
        else { return }
        counters.fallbacks += 1
        let item = PushItem(
            ticket: ticket, sequence: record.version.sequence, stampSeconds: record.stampSeconds, event: .start,
            important: true, quiet: false, priority: record.priority, expirationSeconds: expiration(of: record, slot),
            expiresAtMilliseconds: record.expiresAtMilliseconds, payload: payload.bytes, layout: payload.layout)
        // After the rows that say that the device got no activity: a restart does not send it again.
        afterWrites(slots[slot].shard, .offer(item, [token.destination]), into: &effects)
    }

    /// `{"aps":{"alert":…}}` with the producer's alert. The stamp that comes before it means nothing to an ordinary
    /// notification.
    private static func alertPayload(of record: Record) -> (bytes: [UInt8], layout: PayloadLayout)? {
        let range = Int(record.layout.alertOffset)..<Int(record.layout.alertOffset) + Int(record.layout.alertLength)
        guard !range.isEmpty, range.upperBound <= record.payload.count else { return nil }
        var member = record.payload[range]
        let around: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ",")]
        while let first = member.first, around.contains(first) { member.removeFirst() }
        while let last = member.last, around.contains(last) { member.removeLast() }
        guard !member.isEmpty else { return nil }
        let head = Array(#"{"aps":{"#.utf8)
        let layout = PayloadLayout(
            stampOffset: UInt16(head.count), stampLength: 0, stampInsertion: .beforeMembers)
        return (head + member + Array("}}".utf8), layout)
    }
}
