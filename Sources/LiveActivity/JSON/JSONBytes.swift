/// The document as the scanner's inner loops see it: strings, numbers and words between two offsets.
///
/// Raw pointers because these loops are the hot path of every event. Each read is at an offset below `count`, or a
/// whole word whose last byte is; callers pass offsets from 0 through `count` only.
@usableFromInline
struct JSONBytes {
    @usableFromInline let base: UnsafePointer<UInt8>
    @usableFromInline let count: Int

    @inlinable
    init(base: UnsafePointer<UInt8>, count: Int) {
        self.base = base
        self.count = count
    }

    /// The byte at an offset below `count`.
    @inlinable
    subscript(_ offset: Int) -> UInt8 {
        @inline(__always) get { base[offset] }
    }

    /// The first offset from `start` on that holds no whitespace; `count` when there is none.
    @inlinable
    @inline(__always)
    func skipWhitespace(_ start: Int) -> Int {
        start < count && base[start] > 0x20 ? start : skipBlanks(start)
    }

    @usableFromInline
    func skipBlanks(_ start: Int) -> Int {
        var offset = start
        while offset < count {
            switch base[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return offset
            }
        }
        return offset
    }

    /// What to say of a byte that nothing can begin with: bad UTF-8 is said as such.
    @usableFromInline
    func unexpected(_ offset: Int) -> JSONFault {
        guard offset < count else { return JSONFault(.unexpectedEnd, at: count) }
        guard base[offset] >= 0x80 else { return JSONFault(.unexpectedByte, at: offset) }
        return JSONFault(isSequence(offset) == nil ? .notUTF8 : .unexpectedByte, at: offset)
    }

    /// Checks `true`, `false` or `null` by its first byte; returns the offset after it.
    @inlinable
    @inline(__always)
    func word(_ start: Int) throws(JSONFault) -> Int {
        guard start + 5 <= count else { return try wordAtEnd(start) }
        let letters = UnsafeRawPointer(base + start).loadUnaligned(as: UInt32.self).littleEndian
        // "true", "null", and "fals" with its "e", as words.
        if letters == 0x6575_7274 || letters == 0x6C6C_756E { return start + 4 }
        if letters == 0x736C_6166, base[start + 4] == 0x65 { return start + 5 }
        return try wordAtEnd(start)
    }

    /// The same letter by letter: near the end of the document, and to find the wrong letter.
    @usableFromInline
    func wordAtEnd(_ start: Int) throws(JSONFault) -> Int {
        switch base[start] {
        case 0x74: try spelling("true", start)
        case 0x66: try spelling("false", start)
        default: try spelling("null", start)
        }
    }

    private func spelling(_ word: StaticString, _ start: Int) throws(JSONFault) -> Int {
        for index in 0..<word.utf8CodeUnitCount {
            guard start + index < count, base[start + index] == word.utf8Start[index] else {
                throw unexpected(start + index)
            }
        }
        return start + word.utf8CodeUnitCount
    }

    /// Checks a number (RFC 8259 6); returns the offset after it and whether it has neither fraction nor exponent.
    @usableFromInline
    func number(_ start: Int) throws(JSONFault) -> (end: Int, integer: Bool) {
        var offset = start
        if base[offset] == 0x2D { offset += 1 }
        let digits = offset
        offset = skipDigits(offset)
        guard offset > digits else { throw badNumber(offset) }
        guard base[digits] != 0x30 || offset == digits + 1 else { throw JSONFault(.badNumber, at: digits) }
        guard offset < count, base[offset] == 0x2E || base[offset] | 0x20 == 0x65 else { return (offset, true) }
        if base[offset] == 0x2E {
            let fraction = offset + 1
            offset = skipDigits(fraction)
            guard offset > fraction else { throw badNumber(offset) }
        }
        if offset < count, base[offset] | 0x20 == 0x65 {
            offset += 1
            if offset < count, base[offset] == 0x2B || base[offset] == 0x2D { offset += 1 }
            let exponent = offset
            offset = skipDigits(exponent)
            guard offset > exponent else { throw badNumber(offset) }
        }
        return (offset, false)
    }

    @inline(__always)
    private func skipDigits(_ start: Int) -> Int {
        var offset = start
        while offset < count, base[offset] &- 0x30 < 10 { offset += 1 }
        return offset
    }

    private func badNumber(_ offset: Int) -> JSONFault {
        offset < count ? JSONFault(.badNumber, at: offset) : JSONFault(.unexpectedEnd, at: count)
    }
}
