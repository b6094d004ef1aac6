/// Reads the fields of a stored row; nil at the first field that does not fit, never a trap.
struct RowReader {
    private let bytes: [UInt8]
    private var next = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether every byte was read.
    var isAtEnd: Bool { next == bytes.count }

    mutating func byte() -> UInt8? {
        guard next < bytes.count else { return nil }
        defer { next += 1 }
        return bytes[next]
    }

    mutating func flag() -> Bool? {
        guard let value = byte(), value <= 1 else { return nil }
        return value == 1
    }

    private mutating func integer(count: Int) -> UInt64? {
        guard bytes.count - next >= count else { return nil }
        var value: UInt64 = 0
        for offset in 0..<count { value = value << 8 | UInt64(bytes[next + offset]) }
        next += count
        return value
    }

    mutating func short() -> UInt16? { integer(count: 2).map { UInt16(truncatingIfNeeded: $0) } }

    mutating func word() -> UInt32? { integer(count: 4).map { UInt32(truncatingIfNeeded: $0) } }

    mutating func long() -> UInt64? { integer(count: 8) }

    /// Seven bits a byte, the lowest first; at most ten bytes.
    mutating func scaled() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
            guard let next = byte(), shift < 63 || next <= 1 else { return nil }
            value |= UInt64(next & 0x7f) << shift
            if next < 0x80 { return value }
        }
        return nil
    }

    mutating func signed() -> Int64? { integer(count: 8).map { Int64(bitPattern: $0) } }

    /// The outer nil is a row that does not fit, the inner one an absent number.
    mutating func optional() -> Int64?? {
        guard let present = flag() else { return nil }
        guard present else { return .some(nil) }
        guard let value = signed() else { return nil }
        return .some(value)
    }

    mutating func string(limit: Int) -> [UInt8]? {
        guard let count = short().map(Int.init), count <= limit, bytes.count - next >= count else { return nil }
        defer { next += count }
        return Array(bytes[next..<next + count])
    }
}
