/// Appends the fields of a stored row: big-endian integers and counted byte strings.
struct RowWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }

    mutating func short(_ value: UInt16) { big(value) }

    mutating func word(_ value: UInt32) { big(value) }

    mutating func long(_ value: UInt64) { big(value) }

    private mutating func big(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    mutating func scaled(_ value: UInt64) {
        var rest = value
        while rest > 0x7f {
            byte(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        byte(UInt8(truncatingIfNeeded: rest))
    }

    mutating func signed(_ value: Int64) { long(UInt64(bitPattern: value)) }

    /// One byte says whether the number follows.
    mutating func optional(_ value: Int64?) {
        flag(value != nil)
        if let value { signed(value) }
    }

    /// A string of at most 65,535 bytes; our own callers keep to it, longer ones are cut.
    mutating func string(_ value: [UInt8]) {
        let count = min(value.count, Int(UInt16.max))
        short(UInt16(count))
        value.withUnsafeBufferPointer { bytes.append(contentsOf: UnsafeBufferPointer(rebasing: $0[..<count])) }
    }
}
