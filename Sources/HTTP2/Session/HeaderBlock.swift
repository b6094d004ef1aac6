/// Header fields of one message in one flat array: no `String` and no allocation per field.
///
/// Names are lower-case (RFC 9113 8.2); pseudo-header fields are not kept here.
public struct HeaderBlock: Sendable, Hashable {
    /// Per field: length of name and of value (2 bytes each, big endian), name, value.
    private var bytes: [UInt8] = []
    /// How many fields there are.
    public private(set) var count = 0

    /// No fields.
    public init() {}

    /// Adds a field; `name` must be lower-case. Fields longer than 65,535 bytes are left out.
    public mutating func append(_ name: StaticString, _ value: String) {
        var value = value
        value.withUTF8 { value in
            append(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value)
        }
    }

    /// Adds a field; `name` must be lower-case. Fields longer than 65,535 bytes are left out.
    public mutating func append(_ name: StaticString, _ value: [UInt8]) {
        value.withUnsafeBufferPointer { value in
            append(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value)
        }
    }

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard name.count <= 0xffff, value.count <= 0xffff else { return }
        if bytes.isEmpty { bytes.reserveCapacity(96) }
        bytes.append(UInt8(name.count >> 8))
        bytes.append(UInt8(name.count & 0xff))
        bytes.append(UInt8(value.count >> 8))
        bytes.append(UInt8(value.count & 0xff))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        count += 1
    }

    /// The value of the first field called `name` (lower-case), or nil.
    public subscript(name: StaticString) -> ArraySlice<UInt8>? {
        let wanted = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var index = 0
        while let field = field(at: index) {
            if field.name.count == wanted.count, bytes[field.name].elementsEqual(wanted) { return bytes[field.value] }
            index = field.value.upperBound
        }
        return nil
    }

    /// The value of the first field called `name` (lower-case) as text, or nil.
    public func text(_ name: StaticString) -> String? {
        self[name].map { String(decoding: $0, as: UTF8.self) }
    }

    /// All fields in order, for tests and diagnosis.
    public var fields: [(name: String, value: String)] {
        var all: [(name: String, value: String)] = []
        var index = 0
        while let field = field(at: index) {
            all.append(
                (
                    String(decoding: bytes[field.name], as: UTF8.self),
                    String(decoding: bytes[field.value], as: UTF8.self)
                ))
            index = field.value.upperBound
        }
        return all
    }

    fileprivate func field(at index: Int) -> (name: Range<Int>, value: Range<Int>)? {
        guard index + 4 <= bytes.count else { return nil }
        let nameEnd = index + 4 + (Int(bytes[index]) << 8 | Int(bytes[index + 1]))
        return ((index + 4)..<nameEnd, nameEnd..<(nameEnd + (Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))))
    }

    /// Calls `body` with a walk over the fields, whose pointers hold until it returns.
    func withAll<Result>(_ body: (inout Walk) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            var walk = Walk(block: self, bytes: bytes)
            return body(&walk)
        }
    }

    /// Goes through the fields of a block.
    struct Walk {
        let block: HeaderBlock
        let bytes: UnsafeBufferPointer<UInt8>
        var index = 0

        mutating func next() -> (name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>)? {
            guard let field = block.field(at: index) else { return nil }
            index = field.value.upperBound
            return (UnsafeBufferPointer(rebasing: bytes[field.name]), UnsafeBufferPointer(rebasing: bytes[field.value]))
        }
    }
}
