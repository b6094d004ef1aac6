/// Reads the fields of a mesh message: big-endian integers and counted strings. Throws at the first field that does not
/// fit; never reads beyond its bytes, and allocates no more than it has read.
struct MeshReader {
    private let bytes: UnsafeRawBufferPointer
    private var next = 0
    /// The sender may append fields that this program does not know.
    let skipsRest: Bool

    /// Reads `bytes`, which must outlive the reader.
    init(_ bytes: UnsafeRawBufferPointer, skipsRest: Bool) {
        self.bytes = bytes
        self.skipsRest = skipsRest
    }

    /// How many bytes are left.
    var remaining: Int { bytes.count - next }

    /// Call after the last field that is known.
    func finish() throws(MeshProblem) {
        guard next == bytes.count || skipsRest else { throw .trailing }
    }

    @inline(__always)
    private mutating func advance(_ count: Int) throws(MeshProblem) -> Int {
        guard count <= bytes.count - next else { throw .short }
        defer { next += count }
        return next
    }

    // MARK: Numbers

    @inline(__always)
    private mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>() throws(MeshProblem) -> Number {
        let place = try advance(MemoryLayout<Number>.size)
        return Number(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Number.self))
    }

    mutating func byte() throws(MeshProblem) -> UInt8 { try integer() }

    mutating func short() throws(MeshProblem) -> UInt16 { try integer() }

    mutating func word() throws(MeshProblem) -> UInt32 { try integer() }

    mutating func long() throws(MeshProblem) -> UInt64 { try integer() }

    mutating func signed() throws(MeshProblem) -> Int64 { try integer() }

    mutating func flag() throws(MeshProblem) -> Bool {
        let value = try byte()
        guard value <= 1 else { throw .outOfRange }
        return value == 1
    }

    mutating func choice<Choice: RawRepresentable<UInt8>>() throws(MeshProblem) -> Choice {
        guard let choice = Choice(rawValue: try byte()) else { throw .outOfRange }
        return choice
    }

    mutating func nodeID() throws(MeshProblem) -> NodeID { NodeID(high: try long(), low: try long()) }

    // MARK: Bytes and text

    /// The next `count` bytes, uncopied; only for use before the reader's bytes go.
    mutating func raw(_ count: Int) throws(MeshProblem) -> UnsafeRawBufferPointer {
        let place = try advance(count)
        return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
    }

    private static func copy(_ source: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: source.count) { memory, count in
            UnsafeMutableRawBufferPointer(memory).copyMemory(from: source)
            count = source.count
        }
    }

    /// A string with a two-byte length.
    mutating func string(limit: Int) throws(MeshProblem) -> [UInt8] {
        let count = Int(try short())
        guard count <= limit else { throw .tooLong }
        return Self.copy(try raw(count))
    }

    /// A string with a four-byte length.
    mutating func longString(limit: Int) throws(MeshProblem) -> [UInt8] {
        let count = Int(try word())
        guard count <= limit else { throw .tooLong }
        return Self.copy(try raw(count))
    }

    mutating func text(limit: Int) throws(MeshProblem) -> String {
        let count = Int(try short())
        guard count <= limit else { throw .tooLong }
        guard let text = String(validating: try raw(count), as: UTF8.self) else { throw .badText }
        return text
    }

    // MARK: Structure

    /// A list with a two-byte count. `smallest` is the least number of bytes of an element, so that a false count
    /// reserves no more memory than the message is long.
    mutating func list<Element>(
        limit: Int, smallest: Int, _ body: (inout MeshReader) throws(MeshProblem) -> Element
    ) throws(MeshProblem) -> [Element] {
        let count = Int(try short())
        guard count <= limit else { throw .tooLong }
        guard count * smallest <= remaining else { throw .short }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try body(&self)) }
        return elements
    }

    /// Fields behind a two-byte length, to which a later version may append.
    mutating func nested<Value>(
        _ body: (inout MeshReader) throws(MeshProblem) -> Value
    ) throws(MeshProblem) -> Value {
        var inner = MeshReader(try raw(Int(try short())), skipsRest: skipsRest)
        let value = try body(&inner)
        try inner.finish()
        return value
    }
}
