/// The memory in which one HEADERS frame is put together.
struct HeaderWriter {
    /// Most bytes of a block and its frame header: it must fit one frame of the smallest allowed maximum (RFC 9113
    /// 4.2).
    static let capacity = 16_384 + 9

    private let start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0

    init() { start = .allocate(capacity: Self.capacity) }

    /// Frees the memory; call once, last.
    func destroy() { start.deallocate() }

    var bytes: UnsafePointer<UInt8> { UnsafePointer(start) }

    /// Starts over with type, flags and stream of nghttp2's frame.
    mutating func begin(_ frame: UnsafePointer<UInt8>) {
        start.update(from: frame, count: 9)
        count = 9
    }

    /// Writes the length of the whole but for the frame header into that header.
    func setFrameLength() {
        let length = count - 9
        start[0] = UInt8(length >> 16)
        start[1] = UInt8(length >> 8 & 0xff)
        start[2] = UInt8(length & 0xff)
    }

    mutating func append(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    mutating func append(_ array: [UInt8]) {
        array.withUnsafeBufferPointer { source in
            if let from = source.baseAddress { append(from, source.count) }
        }
    }

    mutating func append(_ from: UnsafePointer<UInt8>, _ length: Int) {
        precondition(length <= Self.capacity - count, "header block too long")
        (start + count).update(from: from, count: length)
        count += length
    }

    /// A string literal without Huffman code (RFC 7541 5.2): a token would gain a quarter of its bytes at far more CPU
    /// time.
    mutating func appendString(_ from: UnsafePointer<UInt8>, _ length: Int) {
        precondition(length + 4 <= Self.capacity - count, "header block too long")
        if length < 127 {
            append(UInt8(length))
        } else {
            append(127)
            var rest = length - 127
            while rest >= 128 {
                append(UInt8(rest & 127) | 128)
                rest >>= 7
            }
            append(UInt8(rest))
        }
        append(from, length)
    }
}
