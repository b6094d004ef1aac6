/// Strings: eight bytes at a time through plain ASCII, one sequence at a time through the rest.
extension JSONBytes {
    /// Checks a string from the byte after its opening quote; returns the offset of the closing quote and whether there
    /// are escapes.
    @usableFromInline
    func string(_ start: Int) throws(JSONFault) -> (end: Int, escaped: Bool) {
        var offset = start
        var escaped = false
        while true {
            offset = skipPlain(offset)
            guard offset < count else { throw JSONFault(.unexpectedEnd, at: count) }
            let byte = base[offset]
            if byte == 0x22 { return (offset, escaped) }
            if byte >= 0x80 {
                offset = try sequences(offset)
            } else if byte == 0x5C {
                escaped = true
                offset = try escape(offset)
            } else if byte < 0x20 {
                throw JSONFault(.controlCharacter, at: offset)
            } else {
                offset += 1
            }
        }
    }

    /// Skips whole words of plain ASCII; stops at a quote, a backslash, a control or non-ASCII byte, or where fewer
    /// than eight bytes are left.
    @inline(__always)
    private func skipPlain(_ start: Int) -> Int {
        var offset = start
        while offset + 8 <= count {
            let marks = Self.special(word(at: offset))
            if marks != 0 { return offset + marks.trailingZeroBitCount >> 3 }
            offset += 8
        }
        return offset
    }

    @inline(__always)
    private func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
    }

    /// The top bit of every byte that is a quote, a backslash, below 0x20 or above 0x7F. Bytes above a marked one may
    /// be marked too much (the borrow of the subtraction), the lowest mark is always right.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ (ones &* 0x22)
        let slashes = word ^ (ones &* 0x5C)
        let found = (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes | (word &- ones &* 0x20) & ~word | word
        return found & (ones &* 0x80)
    }

    /// Checks an escape from its backslash; returns the offset after it.
    private func escape(_ start: Int) throws(JSONFault) -> Int {
        guard start + 1 < count else { throw JSONFault(.unexpectedEnd, at: count) }
        switch base[start + 1] {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
            return start + 2
        case 0x75:
            let unit = try hexUnit(start)
            guard unit & 0xF800 == 0xD800 else { return start + 6 }
            guard unit < 0xDC00 else { throw JSONFault(.loneSurrogate, at: start) }
            let second = start + 6
            guard second + 1 < count, base[second] == 0x5C, base[second + 1] == 0x75 else {
                throw JSONFault(.loneSurrogate, at: start)
            }
            guard try hexUnit(second) & 0xFC00 == 0xDC00 else { throw JSONFault(.loneSurrogate, at: start) }
            return start + 12
        default:
            throw JSONFault(.badEscape, at: start)
        }
    }

    /// The four hexadecimal digits after `\u`.
    private func hexUnit(_ start: Int) throws(JSONFault) -> UInt32 {
        guard start + 6 <= count else { throw JSONFault(.unexpectedEnd, at: count) }
        var unit: UInt32 = 0
        for offset in start + 2..<start + 6 {
            guard let digit = JSONText.hexDigit(base[offset]) else { throw JSONFault(.badEscape, at: start) }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// Checks non-ASCII sequences as long as they follow one another; returns the offset of the next ASCII byte.
    @inline(__always)
    private func sequences(_ start: Int) throws(JSONFault) -> Int {
        var offset = start
        repeat {
            guard let next = offset + 4 <= count ? isSequenceInWord(offset) : isSequence(offset) else {
                throw JSONFault(.notUTF8, at: offset)
            }
            offset = next
        } while offset < count && base[offset] >= 0x80
        return offset
    }

    /// RFC 3629 on a loaded word: the offset after the sequence, nil when it is none.
    @inline(__always)
    private func isSequenceInWord(_ offset: Int) -> Int? {
        let word = UInt32(littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt32.self))
        if word & 0x00C0_C0F0 == 0x0080_80E0 {
            // Three bytes: not overlong (E0 80…9F), no surrogate (ED A0…BF).
            let lead = word & 0x200F
            return lead != 0 && lead != 0x200D ? offset + 3 : nil
        }
        if word & 0xC0E0 == 0x80C0 {
            return word & 0x1E != 0 ? offset + 2 : nil
        }
        guard word & 0xC0C0_C0F8 == 0x8080_80F0 else { return nil }
        // Four bytes: not overlong (F0 80…8F), not above F4 8F.
        let lead = word & 0x3007
        return lead != 0 && (lead & 0x7 < 4 || lead == 4) ? offset + 4 : nil
    }

    /// The same near the end of the document, byte by byte.
    func isSequence(_ offset: Int) -> Int? {
        let left = min(count - offset, 4)
        let tail = (0..<4).map { $0 < left ? base[offset + $0] : 0 }
        return tail.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return nil }
            guard let next = JSONBytes(base: start, count: 4).isSequenceInWord(0), next <= left else { return nil }
            return offset + next
        }
    }
}
