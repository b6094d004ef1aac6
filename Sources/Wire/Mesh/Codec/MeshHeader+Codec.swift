import Codes

extension MeshHeader {
    /// The first bytes of every mesh frame.
    static let magic: [UInt8] = Array("CRM".utf8)
    /// Bytes of the header with magic, versions and length.
    static let encodedByteCount = 3 + 1 + 1 + 2 + 3 * NodeID.byteCount + 2 * 8

    /// Reads the beginning of a frame; the reader that it gives skips what a higher minor version appends.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> (MeshHeader, MeshReader) {
        guard bytes.count >= 5, bytes.prefix(magic.count).elementsEqual(magic) else {
            throw WireFault(.malformed, "no mesh frame", field: "header")
        }
        guard bytes[3] == major else {
            throw WireFault(.unsupportedVersion, "another major version", field: "header")
        }
        let minor = bytes[4]
        var reader = MeshReader(UnsafeRawBufferPointer(rebasing: bytes[5...]), skipsRest: minor > self.minor)
        do throws(MeshProblem) {
            let header = try reader.nested { (reader) throws(MeshProblem) in try MeshHeader(minor, &reader) }
            return (header, reader)
        } catch {
            throw error.fault(in: "header")
        }
    }

    private init(_ minor: UInt8, _ reader: inout MeshReader) throws(MeshProblem) {
        self.init(
            minor: minor, cluster: try reader.nodeID(), sender: try reader.nodeID(), generation: try reader.long(),
            target: try reader.nodeID(), targetGeneration: try reader.long())
    }

    func write<Sink: MeshSink>(to sink: inout Sink) {
        for byte in Self.magic { sink.byte(byte) }
        sink.byte(Self.major)
        sink.byte(minor)
        sink.short(UInt16(Self.encodedByteCount - 7))
        sink.nodeID(cluster)
        sink.nodeID(sender)
        sink.long(generation)
        sink.nodeID(target)
        sink.long(targetGeneration)
    }
}
