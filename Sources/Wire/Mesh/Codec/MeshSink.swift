/// Where the fields of a mesh message go. Every message describes itself once, and the same description is counted
/// first and then written into memory of exactly that size.
protocol MeshSink {
    mutating func byte(_ value: UInt8)
    mutating func short(_ value: UInt16)
    mutating func word(_ value: UInt32)
    mutating func long(_ value: UInt64)
    mutating func raw(_ bytes: UnsafeRawBufferPointer)
}

extension MeshSink {
    mutating func flag(_ value: Bool) { byte(value ? 1 : 0) }

    mutating func signed(_ value: Int64) { long(UInt64(bitPattern: value)) }

    mutating func nodeID(_ value: NodeID) {
        long(value.high)
        long(value.low)
    }

    /// A string with a two-byte length; what is longer is cut, and its sender is at fault.
    mutating func string(_ value: [UInt8]) {
        let count = min(value.count, Int(UInt16.max))
        short(UInt16(count))
        value.withUnsafeBytes { raw(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// A string with a four-byte length.
    mutating func longString(_ value: [UInt8]) {
        word(UInt32(truncatingIfNeeded: value.count))
        value.withUnsafeBytes { raw($0) }
    }

    mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { text in
            let count = min(text.count, Int(UInt16.max))
            short(UInt16(count))
            raw(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(text)[..<count]))
        }
    }

    /// A list with a two-byte count; elements beyond 65,535 are left out, and the sender is at fault.
    mutating func list<Element>(_ elements: [Element], _ body: (Element, inout Self) -> Void) {
        let count = min(elements.count, Int(UInt16.max))
        short(UInt16(count))
        for element in elements.prefix(count) { body(element, &self) }
    }

    /// Fields behind a two-byte length, to which a later version may append.
    mutating func nested(_ count: (inout ByteCount) -> Void, _ body: (inout Self) -> Void) {
        var size = ByteCount()
        count(&size)
        short(UInt16(clamping: size.count))
        body(&self)
    }
}

/// Counts the bytes of a message.
struct ByteCount: MeshSink {
    private(set) var count = 0

    mutating func byte(_: UInt8) { count += 1 }
    mutating func short(_: UInt16) { count += 2 }
    mutating func word(_: UInt32) { count += 4 }
    mutating func long(_: UInt64) { count += 8 }
    mutating func raw(_ bytes: UnsafeRawBufferPointer) { count += bytes.count }
}

/// Writes a message into memory that was counted before.
struct ByteWriter: MeshSink {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    /// Writes from the beginning of `memory`, which must outlive the writer.
    init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

    @inline(__always)
    private mutating func store<Number: FixedWidthInteger & BitwiseCopyable>(_ value: Number) {
        let size = MemoryLayout<Number>.size
        precondition(size <= memory.count - count, "counted \(memory.count) bytes, and there are more")
        memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: Number.self)
        count += size
    }

    mutating func byte(_ value: UInt8) { store(value) }
    mutating func short(_ value: UInt16) { store(value) }
    mutating func word(_ value: UInt32) { store(value) }
    mutating func long(_ value: UInt64) { store(value) }

    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count <= memory.count - count, "counted \(memory.count) bytes, and there are more")
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: bytes)
        count += bytes.count
    }
}
