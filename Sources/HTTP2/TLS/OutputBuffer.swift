internal import COpenSSL

/// Encrypted bytes on their way to the socket: a fixed buffer that OpenSSL writes into through a BIO.
///
/// Many TLS records leave with one write(2), which is what makes small requests cheap.
struct OutputBuffer {
    static let capacity = 128 * 1024
    /// Most that one TLS record takes here: 16 KiB of plaintext and its frame, rounded up.
    static let record = 16_384 + 512

    let bytes: UnsafeMutableRawPointer
    var start = 0
    var end = 0

    init() { bytes = .allocate(byteCount: Self.capacity, alignment: 16) }

    var count: Int { end - start }
    var room: Int { Self.capacity - end }

    mutating func consume(_ count: Int) {
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }
}

/// A BIO that appends to `buffer`, which must outlive it.
func makeOutput(_ buffer: UnsafeMutablePointer<OutputBuffer>) -> OpaquePointer? {
    guard let output = BIO_new(outputMethod) else { return nil }
    BIO_set_data(output, buffer)
    BIO_set_init(output, 1)
    return output
}

// A table of functions that is never changed once made.
nonisolated(unsafe) private let outputMethod: OpaquePointer? = {  // written once, before its first use
    let method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "carillon output")
    BIO_meth_set_write(method, writeOutput)
    BIO_meth_set_ctrl(method, controlOutput)
    return method
}()

private func writeOutput(_ output: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let buffer = BIO_get_data(output)?.assumingMemoryBound(to: OutputBuffer.self), let bytes else { return -1 }
    BIO_clear_flags(output, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    guard buffer.pointee.room >= Int(count) else {
        BIO_set_flags(output, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }
    (buffer.pointee.bytes + buffer.pointee.end).copyMemory(from: bytes, byteCount: Int(count))
    buffer.pointee.end += Int(count)
    return count
}

private func controlOutput(
    _ output: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
