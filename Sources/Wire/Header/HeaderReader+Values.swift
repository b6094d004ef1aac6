import LiveActivity

extension HeaderReader {
    /// Reads `id`, which must be there.
    mutating func requireEventID() throws(WireFault) -> EventID {
        EventID(checked: Array(try requireName("id", limit: EventID.bytesMax)))
    }

    /// Reads an event's kind, if it is there.
    mutating func eventKind(_ name: StaticString) throws(WireFault) -> EventKind? {
        guard let text = try self.name(name, limit: 16) else { return nil }
        for kind in EventKind.allCases where text.elementsEqual(kind.name.utf8) { return kind }
        throw fault(name, "must be start, update or end")
    }

    /// Reads one of a closed set of words that must be there.
    mutating func requireWord<Word: RawRepresentable & CaseIterable>(
        _ name: StaticString, _ type: Word.Type
    ) throws(WireFault) -> Word where Word.RawValue == String {
        let text = try requireName(name, limit: 32)
        for word in Word.allCases where text.elementsEqual(word.rawValue.utf8) { return word }
        throw fault(name, "must be " + Word.allCases.map(\.rawValue).joined(separator: ", "))
    }

    /// Reads an unsigned 32-bit count; 0 when it is not there.
    mutating func count(_ name: StaticString) throws(WireFault) -> UInt32 {
        UInt32(try integer(name, in: 0...Int64(UInt32.max)) ?? 0)
    }

    /// Reads a time in milliseconds since 1970; 0 when it is not there.
    mutating func time(_ name: StaticString) throws(WireFault) -> Int64 {
        try integer(name, in: 0...Int64.max) ?? 0
    }

    /// Reads the caller's name of a user or device; empty when it is not there.
    mutating func subject(_ name: StaticString) throws(WireFault) -> String {
        guard let text = try self.name(name, limit: ProducerProtocol.subjectBytesMax) else { return "" }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads `app`, which must be there, as text.
    mutating func requireText(_ name: StaticString, limit: Int) throws(WireFault) -> String {
        String(decoding: try requireName(name, limit: limit), as: UTF8.self)
    }
}
