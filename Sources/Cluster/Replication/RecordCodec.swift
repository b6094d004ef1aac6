import LiveActivity

/// The stored form of a record and of the event IDs kept with it.
///
/// Byte 0 is the layout's version; a reader refuses versions it does not know. All integers are big-endian. The
/// decoder is total: any bytes give a record or nil.
enum RecordCodec {
    /// Version of the layout.
    static let layoutVersion: UInt8 = 3
    /// The same with the audience of a start at the end.
    static let startLayoutVersion: UInt8 = 4
    /// Longest payload that is read back, in bytes.
    static let payloadBytesMax = 32_768
    /// Longest event ID and producer name that are read back, in bytes.
    static let nameBytesMax = 255

    /// Writes a record with its recent events.
    static func encode(_ record: Record, recent: RecentEvents) -> [UInt8] {
        var row = RowWriter(
            capacity: record.payload.count + record.eventID.count + record.producer.count + record.audience.count + 96
                + RecentEvents.usualBytes)
        row.byte(record.audience.isEmpty ? layoutVersion : startLayoutVersion)
        row.long(record.version.epoch)
        row.long(record.version.sequence)
        row.long(record.born)
        row.word(record.instance)
        row.signed(record.stampSeconds)
        row.byte(record.event.rawValue)
        row.flag(record.important)
        row.flag(record.quiet)
        row.byte(record.priority)
        row.optional(record.revision)
        row.optional(record.notBeforeMilliseconds)
        row.optional(record.expiresAtMilliseconds)
        row.signed(record.acceptedAtMilliseconds)
        row.string(record.eventID)
        row.string(record.producer)
        encode(record.layout, into: &row)
        row.string(record.payload)
        recent.write(to: &row)
        if !record.audience.isEmpty { row.string(record.audience) }
        return row.bytes
    }

    private static func encode(_ layout: PayloadLayout, into row: inout RowWriter) {
        row.short(layout.stampOffset)
        row.short(layout.stampLength)
        row.byte(layout.stampInsertion.rawValue)
        row.short(layout.alertOffset)
        row.short(layout.alertLength)
    }

    /// Reads a record; nil when the bytes are no record of this version.
    static func decode(_ bytes: [UInt8]) -> (record: Record, recent: RecentEvents)? {
        var row = RowReader(bytes)
        guard let layoutVersion = row.byte(), (Self.layoutVersion...startLayoutVersion).contains(layoutVersion),
            let epoch = row.long(), let sequence = row.long(), let born = row.long(),
            let instance = row.word(), instance > 0, let stamp = row.signed(),
            let event = row.byte().flatMap(EventKind.init(rawValue:)), let important = row.flag(),
            let quiet = row.flag(), let priority = row.byte(), let revision = row.optional(),
            let notBefore = row.optional(), let expiresAt = row.optional(), let acceptedAt = row.signed(),
            let eventID = row.string(limit: nameBytesMax), let producer = row.string(limit: nameBytesMax),
            let layout = decodeLayout(&row), let payload = row.string(limit: payloadBytesMax),
            fits(layout, payload.count), let recent = RecentEvents(&row),
            let audience = decodeAudience(&row, layoutVersion), row.isAtEnd,
            sequence >= born
        else { return nil }
        var record = Record(
            version: Version(epoch: epoch, sequence: sequence), born: born, instance: instance, stampSeconds: stamp,
            event: event, important: important, quiet: quiet, priority: priority, revision: revision,
            notBeforeMilliseconds: notBefore, expiresAtMilliseconds: expiresAt, acceptedAtMilliseconds: acceptedAt,
            eventID: eventID, producer: producer, layout: layout, payload: payload)
        record.audience = audience
        return (record, recent)
    }

    private static func decodeAudience(_ row: inout RowReader, _ version: UInt8) -> [UInt8]? {
        guard version == startLayoutVersion else { return [] }
        guard let packed = row.string(limit: StartAudience.bytesMax), StartAudience(packed: packed) != nil else {
            return nil
        }
        return packed
    }

    private static func decodeLayout(_ row: inout RowReader) -> PayloadLayout? {
        guard let stampOffset = row.short(), let stampLength = row.short(),
            let insertion = row.byte().flatMap(PayloadLayout.Insertion.init(rawValue:)), let alertOffset = row.short(),
            let alertLength = row.short()
        else { return nil }
        return PayloadLayout(
            stampOffset: stampOffset, stampLength: stampLength, stampInsertion: insertion, alertOffset: alertOffset,
            alertLength: alertLength)
    }

    /// The splice trusts the layout, so one that points outside the payload is refused here.
    private static func fits(_ layout: PayloadLayout, _ count: Int) -> Bool {
        Int(layout.stampOffset) + Int(layout.stampLength) <= count
            && Int(layout.alertOffset) + Int(layout.alertLength) <= count
    }
}
