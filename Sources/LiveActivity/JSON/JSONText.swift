/// Reads single values out of a document that `JSONScanner` has accepted, by the ranges that it told.
///
/// Bytes that were not accepted before give nil or a wrong value, never a trap; a range outside of `bytes` traps.
public enum JSONText {
    /// The contents of a string (range without quotes), escapes resolved.
    public static func string(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { contents in
            guard contents.contains(0x5C) else { return String(decoding: contents, as: UTF8.self) }
            var unescaped: [UInt8] = []
            unescape(contents, into: &unescaped)
            return String(decoding: unescaped, as: UTF8.self)
        }
    }

    /// The contents of a string (range without quotes) as UTF-8, escapes resolved.
    public static func bytes(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        bytes.extracting(range).withUnsafeBufferPointer { contents in
            guard contents.contains(0x5C) else { return Array(contents) }
            var unescaped: [UInt8] = []
            unescape(contents, into: &unescaped)
            return unescaped
        }
    }

    /// Whether the contents of a string or name, escapes resolved, are `text`.
    @inlinable
    public static func equals(_ bytes: Span<UInt8>, _ range: Range<Int>, escaped: Bool, _ text: StaticString) -> Bool {
        if escaped { return equalsUnescaped(bytes, range, text) }
        let length = text.utf8CodeUnitCount
        guard range.count == length else { return false }
        for index in 0..<length where bytes[range.lowerBound + index] != text.utf8Start[index] { return false }
        return true
    }

    @usableFromInline
    static func equalsUnescaped(_ bytes: Span<UInt8>, _ range: Range<Int>, _ text: StaticString) -> Bool {
        let contents = Self.bytes(bytes, range)
        guard contents.count == text.utf8CodeUnitCount else { return false }
        for index in contents.indices where contents[index] != text.utf8Start[index] { return false }
        return true
    }

    /// A number without fraction and exponent as Int64; nil for any other spelling or when it does not fit.
    public static func integer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        guard !range.isEmpty else { return nil }
        let negative = bytes[range.lowerBound] == 0x2D
        let digits = range.lowerBound + (negative ? 1 : 0)..<range.upperBound
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for offset in digits {
            let digit = bytes[offset] &- 0x30
            guard digit < 10 else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.subtractingReportingOverflow(Int64(digit))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        if negative { return value }
        return value == .min ? nil : -value
    }

    /// Any number as the nearest Double; nil when it is above the range of Double or no number.
    public static func double(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Double? {
        guard let value = Double(string(bytes, range)), value.isFinite else { return nil }
        return value
    }

    /// `true` or `false`; nil for anything else.
    public static func bool(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool? {
        if equals(bytes, range, escaped: false, "true") { return true }
        if equals(bytes, range, escaped: false, "false") { return false }
        return nil
    }

    /// Appends the contents of a string with its escapes resolved.
    static func unescape(_ contents: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
        var offset = 0
        while offset < contents.count {
            guard contents[offset] == 0x5C, offset + 1 < contents.count else {
                output.append(contents[offset])
                offset += 1
                continue
            }
            if contents[offset + 1] == 0x75 {
                offset = appendUnit(contents, offset, into: &output)
            } else {
                output.append(plain(contents[offset + 1]))
                offset += 2
            }
        }
    }

    private static func plain(_ letter: UInt8) -> UInt8 {
        switch letter {
        case 0x62: 0x08
        case 0x66: 0x0C
        case 0x6E: 0x0A
        case 0x72: 0x0D
        case 0x74: 0x09
        default: letter
        }
    }

    /// Appends the scalar of a `\u` escape, or of the pair that begins at it; returns the offset after it.
    private static func appendUnit(
        _ contents: UnsafeBufferPointer<UInt8>, _ start: Int, into output: inout [UInt8]
    ) -> Int {
        guard let first = unit(contents, start) else { return contents.count }
        if first & 0xFC00 == 0xD800, let second = unit(contents, start + 6), second & 0xFC00 == 0xDC00 {
            let value = 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
            output.append(contentsOf: (Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
            return start + 12
        }
        output.append(contentsOf: (Unicode.Scalar(first) ?? "\u{FFFD}").utf8)
        return start + 6
    }

    private static func unit(_ contents: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32? {
        guard start + 6 <= contents.count, contents[start] == 0x5C, contents[start + 1] == 0x75 else { return nil }
        var value: UInt32 = 0
        for offset in start + 2..<start + 6 {
            guard let digit = hexDigit(contents[offset]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The value of a hexadecimal digit of either case.
    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
